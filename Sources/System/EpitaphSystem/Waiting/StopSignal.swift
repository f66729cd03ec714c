// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Makes other threads end their work, and lets them wait for that moment. It cannot be reset.
///
/// A pipe(2) rather than a condition variable: waiting is one poll(2), which has a timeout.
package final class StopSignal: Sendable {
    /// Readable once stopped, for threads that also wait for other things.
    let reader: FileDescriptor
    private let writer: FileDescriptor
    private let isGiven = Atomic(false)
    private let processID = ProcFileSystem.ownProcessID

    /// - Throws: if the process has no descriptor left.
    package init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        // pipe2(2) is not visible to Swift: glibc declares it only for _GNU_SOURCE. A child started
        // between the calls inherits the pipe, which does no harm.
        guard pipe(&ends) == 0 else { throw .last("pipe", "stop signal") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        reader = FileDescriptor(owning: ends[0], path: "stop signal")
        writer = FileDescriptor(owning: ends[1], path: "stop signal")
    }

    /// Whether `stop()` was called.
    package var isStopped: Bool { isGiven.load(ordering: .acquiring) }

    /// Wakes all waiting threads. Can be called from any thread, more than once. In a forked child it
    /// wakes nobody: the threads that wait are the parent's, and so is the pipe.
    package func stop() {
        guard !isGiven.exchange(true, ordering: .acquiringAndReleasing),
            ProcFileSystem.ownProcessID == processID
        else { return }
        // One byte is enough, and it is never read, so that every waiting thread sees it.
        var byte: UInt8 = 1
        _ = write(writer.rawValue, &byte, 1)
    }

    /// Waits until stopped, but no longer than `seconds`.
    ///
    /// - Parameter seconds: more than a day counts as a day, less than 0 as 0.
    /// - Returns: whether it was stopped.
    package func wait(seconds: Double) -> Bool {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(seconds > 0 ? min(seconds, 86_400) : 0)
        while !isStopped {
            let left = (deadline - clock.now) / .milliseconds(1)
            guard left > 0 else { return false }
            var entry = pollfd(fd: reader.rawValue, events: Int16(POLLIN), revents: 0)
            // Rounded up, or the last millisecond would be spent polling without waiting. After
            // EINTR and any other failure the clock is checked first, so the wait always ends.
            _ = poll(&entry, 1, Int32(left.rounded(.up)))
        }
        return true
    }
}
