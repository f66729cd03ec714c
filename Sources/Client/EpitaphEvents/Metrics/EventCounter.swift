// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Synchronization

extension Epitaph {
    /// Counts something frequent, with one atomic addition: no lock, no allocation, no system call.
    public final class EventCounter: Sendable {
        public let name: String
        private let value = Atomic<UInt64>(0)

        init(name: String) {
            self.name = name
        }

        /// Adds to the count. From any thread.
        @inline(__always)
        public func increment(by amount: UInt64 = 1) {
            value.wrappingAdd(amount, ordering: .relaxed)
        }

        public var total: UInt64 { value.load(ordering: .relaxed) }
    }
}
