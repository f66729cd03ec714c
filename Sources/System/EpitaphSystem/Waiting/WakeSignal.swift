// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import Synchronization

/// Lets one thread sleep until another one has something for it. Unlike a `StopSignal` it is given
/// again and again.
///
/// A futex(2) of its own: giving takes a system call only while a thread sleeps, and never blocks.
/// There is no descriptor, which a program that closes all it finds could replace with one of its
/// own; and a child of fork(2) has a word of its own, so it wakes nobody in its parent.
package final class WakeSignal: Sendable {
    private enum Word {
        static let idle: UInt32 = 0
        static let given: UInt32 = 1
        static let asleep: UInt32 = 2
    }

    // Its content is atomic, and it lives as long as this; here its address does not change.
    nonisolated(unsafe) private let word: UnsafeMutablePointer<Atomic<UInt32>>

    /// A signal that is not given.
    package init() {
        word = .allocate(capacity: 1)
        word.initialize(to: Atomic(Word.idle))
    }

    deinit {
        word.deinitialize(count: 1)
        word.deallocate()
    }

    /// Ends the present wait, or the next one if there is none. From any thread; a system call only
    /// where a thread sleeps.
    package func give() {
        let last = word.pointee.exchange(Word.given, ordering: .acquiringAndReleasing)
        if last == Word.asleep { epitaph_futex_wake(word) }
    }

    /// Waits until the signal is given, but no longer than `seconds`, and takes it. For one thread
    /// at a time. Whoever gives it changes what the waiting thread looks at before that.
    ///
    /// - Parameter seconds: more than a day counts as a day, less than 0 as 0.
    package func wait(seconds: Double) {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(seconds > 0 ? min(seconds, 86_400) : 0)
        while true {
            let left = (deadline - clock.now) / .nanoseconds(1)
            guard left > 0 else { break }
            let (sleeps, last) = word.pointee.compareExchange(
                expected: Word.idle, desired: Word.asleep, ordering: .acquiringAndReleasing)
            // One that was woken for no reason goes on sleeping.
            guard sleeps || last == Word.asleep else { break }
            epitaph_futex_wait(word, Word.asleep, Int64(left.rounded(.up)))
        }
        _ = word.pointee.exchange(Word.idle, ordering: .acquiringAndReleasing)
    }
}
