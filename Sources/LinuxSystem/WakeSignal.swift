// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Lets one thread sleep until another one has something for it. Unlike a `StopSignal` it is given
/// again and again.
///
/// A pipe(2) rather than a condition variable: waiting is one poll(2), which keeps the time for us,
/// and giving never blocks.
public final class WakeSignal: Sendable {
    private let reader: FileDescriptor
    private let writer: FileDescriptor
    private let isGiven = Atomic(false)

    /// - Throws: when the process has no descriptor left.
    public init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        // pipe2(2) is not visible to Swift: glibc declares it for _GNU_SOURCE alone.
        guard pipe(&ends) == 0 else { throw .last("pipe", "wake signal") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        reader = FileDescriptor(owning: ends[0], path: "wake signal")
        writer = FileDescriptor(owning: ends[1], path: "wake signal")
    }

    /// Ends the present wait, or the next one if there is none. From any thread; a system call only
    /// where the last signal has been taken.
    public func give() {
        guard !isGiven.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var byte: UInt8 = 1
        _ = write(writer.rawValue, &byte, 1)
    }

    /// Waits until the signal is given, but no longer than `seconds`, and takes it. For one thread
    /// at a time. Whoever gives it changes what the waiting thread looks at before that.
    ///
    /// - Parameter seconds: more than a day counts as a day, less than 0 as 0.
    public func wait(seconds: Double) {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(seconds > 0 ? min(seconds, 86_400) : 0)
        while true {
            var entry = pollfd(fd: reader.rawValue, events: Int16(POLLIN), revents: 0)
            let left = max((deadline - clock.now) / .milliseconds(1), 0)
            if poll(&entry, 1, Int32(left.rounded(.up))) > 0 { break }
            guard clock.now < deadline else { break }
        }
        var bytes: UInt64 = 0
        _ = read(reader.rawValue, &bytes, MemoryLayout<UInt64>.size)
        // After the reading: one given in between needs no byte, as this wait is over.
        _ = isGiven.exchange(false, ordering: .acquiringAndReleasing)
    }
}
