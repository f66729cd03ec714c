// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Backtrace {
    /// Why the awaiting callers of a Swift task end where they do.
    package enum AsyncEnd: Sendable, Equatable {
        /// The function that the task was started with is the last one.
        case startOfTask
        /// The running function's own context was not found, or nothing proves which it is.
        case noContext
        /// The context is not in the snapshot.
        case noMemory(address: UInt64)
        /// What should be a context is not one.
        case notAContext(address: UInt64)
        /// Nothing proves that an async function continues at this address: it is not one, or its
        /// file is missing.
        case unknownFunction(address: UInt64)
        /// The callers lead back to an earlier one.
        case cycle(context: UInt64)
        /// There are more callers than this limit.
        case limit(Int)
    }
}

extension Backtrace.AsyncEnd: CustomStringConvertible {
    /// The reason as a clause.
    package var description: String {
        switch self {
        case .startOfTask: "the start of the task was reached"
        case .noContext: "the context of the function that runs was not found"
        case .noMemory(let address): "the memory at \(address.hex) was not captured"
        case .notAContext(let address): "there is no context at \(address.hex)"
        case .unknownFunction(let address): "no async function is known to go on at \(address.hex)"
        case .cycle(let context): "the context at \(context.hex) leads back to itself"
        case .limit(let count): "there are more than \(count)"
        }
    }
}
