// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Wakes one thread that waits for work, again and again. A signal that comes before the wait ends
/// the next one.
///
/// A pipe(2), as `StopSignal`: waiting is one poll(2), which keeps the time for us.
public final class WakeSignal: Sendable {
    private let reader: FileDescriptor
    private let writer: FileDescriptor
    /// Whether there is a byte in the pipe, or about to be.
    private let isGiven = Atomic(false)

    /// - Throws: when the process has no descriptor left.
    public init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        // pipe2(2) is not visible to Swift: glibc declares it for _GNU_SOURCE alone. A child that
        // is started between the calls gets the pipe too, and nothing comes of it.
        guard pipe(&ends) == 0 else { throw .last("pipe", "wake signal") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        reader = FileDescriptor(owning: ends[0], path: "wake signal")
        writer = FileDescriptor(owning: ends[1], path: "wake signal")
    }

    /// Ends the present wait, or the next one. Can be called from any thread; without a wait in
    /// between only the first call makes a system call.
    public func wake() {
        guard !isGiven.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var byte: UInt8 = 1
        _ = write(writer.rawValue, &byte, 1)
    }

    /// Waits until woken, but no longer than `seconds`. For one thread at a time.
    ///
    /// - Parameter seconds: more than a day counts as a day, less than 0 as 0.
    /// - Returns: whether it was woken.
    @discardableResult
    public func wait(seconds: Double) -> Bool {
        let milliseconds = (seconds > 0 ? min(seconds, 86_400) : 0) * 1_000
        var entry = pollfd(fd: reader.rawValue, events: Int16(POLLIN), revents: 0)
        // EINTR ends a wait early: who waits for work looks for it then.
        _ = poll(&entry, 1, Int32(milliseconds.rounded(.up)))
        var byte: UInt8 = 0
        guard read(reader.rawValue, &byte, 1) == 1 else { return false }
        // After the byte is out of the pipe: what comes from here on is another signal.
        isGiven.store(false, ordering: .releasing)
        return true
    }
}
