// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// A word from one thread to others that they should come to an end, and a place to wait that ends
/// with it. Once given it cannot be taken back.
///
/// A pipe(2) rather than a condition variable: waiting is one poll(2), which keeps the time for us.
public final class StopSignal: Sendable {
    /// Readable once the word is given, for who waits for other things too.
    let reader: FileDescriptor
    private let writer: FileDescriptor
    private let isGiven = Atomic(false)

    /// - Throws: when the process has no descriptor left.
    public init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        // pipe2(2) is not visible to Swift: glibc declares it for _GNU_SOURCE alone. A child that
        // is started between the calls gets the pipe too, and nothing comes of it.
        guard pipe(&ends) == 0 else { throw .last("pipe", "stop signal") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        reader = FileDescriptor(owning: ends[0], path: "stop signal")
        writer = FileDescriptor(owning: ends[1], path: "stop signal")
    }

    public var isStopped: Bool { isGiven.load(ordering: .acquiring) }

    /// Wakes all who wait. From any thread, as often as wished.
    public func stop() {
        guard !isGiven.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // One byte fits, and nobody takes it out: all who wait see it.
        var byte: UInt8 = 1
        _ = write(writer.rawValue, &byte, 1)
    }

    /// Waits for the word, at most so long.
    ///
    /// - Parameter seconds: more than a day counts as a day, less than 0 as 0.
    /// - Returns: whether it was given.
    public func wait(seconds: Double) -> Bool {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(seconds > 0 ? min(seconds, 86_400) : 0)
        while !isStopped {
            let left = (deadline - clock.now) / .milliseconds(1)
            guard left > 0 else { return false }
            var entry = pollfd(fd: reader.rawValue, events: Int16(POLLIN), revents: 0)
            // Rounded up, or the last millisecond would be spent asking again and again. EINTR and
            // any other failure ask the clock first, so none can wait for ever.
            _ = poll(&entry, 1, Int32(left.rounded(.up)))
        }
        return true
    }
}
