// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A lock for what is done seldom. The child of a fork(2) finds it free, although a thread of the
/// parent may have held it at that moment: a mutex would stay locked in the child for ever.
package final class ForkSafeLock: Sendable {
    /// The process whose thread holds it; 0 for none.
    private let holder = Atomic<Int32>(0)
    private static let pauseMicroseconds: UInt32 = 200

    /// A free lock.
    package init() {}

    /// Runs `body` while no other thread of this process does.
    ///
    /// - Parameters:
    ///   - patience: how long to wait for another thread. A child in a pid namespace of its own may
    ///     have its parent's number, and would wait for nobody.
    ///   - body: must not take this lock again.
    /// - Returns: nil if another thread did not come to an end in time; then `body` was not run.
    package func during<Value, Failure: Error>(
        within patience: Duration = .seconds(30), _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        guard take(until: ContinuousClock.now + patience) else { return nil }
        defer { holder.store(0, ordering: .releasing) }
        return try body()
    }

    private func take(until end: ContinuousClock.Instant) -> Bool {
        let own = getpid()
        while true {
            let (isFree, present) = holder.compareExchange(
                expected: 0, desired: own, ordering: .acquiring)
            if isFree { return true }
            // The parent's thread does not run here.
            if present != own,
                holder.compareExchange(expected: present, desired: own, ordering: .acquiring)
                    .exchanged
            {
                return true
            }
            guard ContinuousClock.now < end else { return false }
            usleep(Self.pauseMicroseconds)
        }
    }
}
