// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import Synchronization

/// Lets one thread sleep until another one has work for it; can be given repeatedly. A futex(2):
/// giving takes a system call only while a thread sleeps, and never blocks. Unlike a descriptor it
/// cannot be closed and reused by the program, and a forked child has its own word.
package final class WakeSignal: Sendable {
    private enum Word {
        static let idle: UInt32 = 0
        static let given: UInt32 = 1
        static let asleep: UInt32 = 2
    }

    // Atomic, with a stable address, and lives as long as this object.
    nonisolated(unsafe) private let word: UnsafeMutablePointer<Atomic<UInt32>>

    package init() {
        word = .allocate(capacity: 1)
        word.initialize(to: Atomic(Word.idle))
    }

    deinit {
        word.deinitialize(count: 1)
        word.deallocate()
    }

    package func give() {
        let last = word.pointee.exchange(Word.given, ordering: .acquiringAndReleasing)
        if last == Word.asleep { epitaph_futex_wake(word) }
    }

    /// Waits until the signal is given and takes it, `seconds` clamped to 0 to one day. For one
    /// thread at a time. Givers publish their changes before.
    package func wait(seconds: Double) {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(seconds > 0 ? min(seconds, 86_400) : 0)
        while true {
            let left = (deadline - clock.now) / .nanoseconds(1)
            guard left > 0 else { break }
            let (sleeps, last) = word.pointee.compareExchange(
                expected: Word.idle, desired: Word.asleep, ordering: .acquiringAndReleasing)
            // After a spurious wake-up, sleep again.
            guard sleeps || last == Word.asleep else { break }
            epitaph_futex_wait(word, Word.asleep, Int64(left.rounded(.up)))
        }
        _ = word.pointee.exchange(Word.idle, ordering: .acquiringAndReleasing)
    }
}
