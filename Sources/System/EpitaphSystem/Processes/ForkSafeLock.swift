// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// For rare use. A forked child finds it free even if a parent's thread held it, unlike a mutex.
package final class ForkSafeLock: Sendable {
    /// Process id of the holder; 0 for none.
    private let holder = Atomic<Int32>(0)

    package init() {}

    /// Runs `body`, which must not take the lock again. Nil, without running it, after `patience`:
    /// a child in a new pid namespace may have its parent's pid, and would wait for nobody.
    package func during<Value, Failure: Error>(
        within patience: Duration = .seconds(30), _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        guard take(until: ContinuousClock.now + patience) else { return nil }
        defer { holder.store(0, ordering: .releasing) }
        return try body()
    }

    private func take(until end: ContinuousClock.Instant) -> Bool {
        let own = getpid()
        return polled(until: end) {
            let (isFree, present) = holder.compareExchange(
                expected: 0, desired: own, ordering: .acquiring)
            if isFree { return true }
            // The holder is a thread of the parent.
            guard present != own else { return nil }
            return holder.compareExchange(expected: present, desired: own, ordering: .acquiring)
                .exchanged ? true : nil
        } ?? false
    }
}
