// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import Glibc
import Synchronization

/// Tells other threads to stop, once, and lets them wait for that. A pipe(2) instead of a condition
/// variable, because poll(2) also waits for other descriptors.
package final class StopSignal: Sendable {
    let reader: FileDescriptor
    private let writer: FileDescriptor
    private let isGiven = Atomic(false)
    private let processID = ProcFileSystem.ownProcessID

    /// - Throws: if the process has no descriptor left.
    package init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        // pipe2(2) needs _GNU_SOURCE. A child forked in between harmlessly inherits the pipe.
        guard pipe(&ends) == 0 else { throw .last("pipe", "stop signal") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        reader = FileDescriptor(owning: ends[0], path: "stop signal")
        writer = FileDescriptor(owning: ends[1], path: "stop signal")
    }

    package var isStopped: Bool { isGiven.load(ordering: .acquiring) }

    /// Thread-safe, idempotent. In a forked child wakes nobody: pipe and threads are the parent's.
    package func stop() {
        guard !isGiven.exchange(true, ordering: .acquiringAndReleasing),
            ProcFileSystem.ownProcessID == processID
        else { return }
        // Never read, so that every waiting thread sees it.
        var byte: UInt8 = 1
        _ = write(writer.rawValue, &byte, 1)
    }

    /// Returns whether it was stopped; `seconds` are clamped to 0 to one day.
    package func wait(seconds: Double) -> Bool {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(seconds > 0 ? min(seconds, 86_400) : 0)
        while !isStopped {
            let left = (deadline - clock.now) / .milliseconds(1)
            guard left > 0 else { return false }
            var entry = pollfd(fd: reader.rawValue, events: Int16(POLLIN), revents: 0)
            // Rounded up, or the last millisecond would be spent polling without waiting.
            _ = epitaph_wait_poll(&entry, 1, Int32(left.rounded(.up)))
        }
        return true
    }
}
