// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import Glibc

/// A descriptor to wait for, besides the stop signal.
package struct Awaited: Sendable {
    package enum Event: Sendable {
        /// There is something to read.
        case input
        /// A pressure trigger fired, or a sysfs value changed.
        case exception
    }

    package let file: FileDescriptor
    package let event: Event

    package init(_ file: FileDescriptor, _ event: Event) {
        self.file = file
        self.event = event
    }
}

package enum Readiness: Sendable, Equatable {
    /// Indexes of the ready descriptors.
    case ready([Int])
    case timedOut
    case stopped
}

extension StopSignal {
    /// poll(2), for 0 to one day. Failed descriptors count as ready; reading shows the error.
    package func wait(seconds: Double, for awaited: [Awaited]) -> Readiness {
        var entries = awaited.map { item in
            pollfd(
                fd: item.file.rawValue, events: Int16(item.event == .input ? POLLIN : POLLPRI),
                revents: 0)
        }
        entries.append(pollfd(fd: reader.rawValue, events: Int16(POLLIN), revents: 0))
        let milliseconds = Int32((seconds > 0 ? min(seconds, 86_400) * 1_000 : 0).rounded(.up))
        guard !isStopped else { return .stopped }
        let count = epitaph_wait_poll(&entries, entries.count, milliseconds)
        guard !isStopped else { return .stopped }
        // EINTR and other failures end the wait early; the caller retries.
        guard count > 0 else { return .timedOut }
        return .ready(awaited.indices.filter { entries[$0].revents != 0 })
    }
}

extension FileDescriptor {
    /// A pressure stall trigger, Documentation/accounting/psi.rst: poll(2) reports when tasks have
    /// stalled for that long within a window. Lasts as long as the descriptor.
    ///
    /// - Parameters:
    ///   - path: `memory.pressure` of a control group, or /proc/pressure/memory.
    ///   - windowMicroseconds: 500,000 to 10,000,000; only multiples of 2 s unless root.
    /// - Throws: if the kernel has no pressure information, or refuses the trigger.
    package static func pressureTrigger(
        _ path: String, stallMicroseconds: Int, windowMicroseconds: Int
    ) throws(SystemError) -> FileDescriptor {
        let file = try open(path, flags: O_RDWR | O_NONBLOCK, mode: 0)
        // The kernel takes the NUL as the end of the line.
        let words = Array("some \(stallMicroseconds) \(windowMicroseconds)\0".utf8)
        let count = words.withUnsafeBytes { write(file.rawValue, $0.baseAddress, $0.count) }
        guard count == words.count else { throw .last("write", path) }
        return file
    }

    package static func changes(of paths: [String]) throws(SystemError) -> FileDescriptor {
        try changes(of: paths, mask: UInt32(IN_MODIFY))
    }

    package static func changes(in directories: [String]) throws(SystemError) -> FileDescriptor {
        try changes(
            of: directories,
            mask: UInt32(IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE))
    }

    private static func changes(
        of paths: [String], mask: UInt32
    ) throws(SystemError) -> FileDescriptor {
        let queue = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard queue >= 0 else { throw .last("inotify_init1", "inotify") }
        let file = FileDescriptor(owning: queue, path: "inotify")
        for path in paths {
            guard inotify_add_watch(queue, path, mask) >= 0 else {
                throw .last("inotify_add_watch", path)
            }
        }
        return file
    }

    package func drain() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 12, alignment: 8)
        defer { buffer.deallocate() }
        for _ in 0..<64 {
            guard let count = try? read(into: buffer), count > 0 else { return }
        }
    }
}
