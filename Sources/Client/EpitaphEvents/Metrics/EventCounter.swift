// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Synchronization

extension Epitaph {
    /// Counts something that happens often: in the path of every request, inside a loop.
    ///
    /// Counting is one atomic addition: no lock, no allocation, no system call.
    public final class EventCounter: Sendable {
        /// What it counts.
        public let name: String
        private let value = Atomic<UInt64>(0)

        init(name: String) {
            self.name = name
        }

        /// Counts one, or more at once. From any thread.
        @inline(__always)
        public func increment(by amount: UInt64 = 1) {
            value.wrappingAdd(amount, ordering: .relaxed)
        }

        /// The count so far.
        public var total: UInt64 { value.load(ordering: .relaxed) }
    }
}
