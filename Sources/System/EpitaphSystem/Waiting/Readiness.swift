// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A descriptor that a thread waits for, beside the signal to stop.
package struct Awaited: Sendable {
    /// What has to happen.
    package enum Event: Sendable {
        /// There is something to read.
        case input
        /// The kernel has something exceptional to say: a pressure trigger that fired, or a value
        /// in sysfs that changed.
        case exception
    }

    /// What is waited for.
    package let file: FileDescriptor
    /// What has to happen to it.
    package let event: Event

    /// One descriptor and what has to happen to it.
    package init(_ file: FileDescriptor, _ event: Event) {
        self.file = file
        self.event = event
    }
}

/// Why a wait for descriptors ended.
package enum Readiness: Sendable, Equatable {
    /// Something happened to those at these places of the list.
    case ready([Int])
    /// Nothing happened for the whole time.
    case timedOut
    /// The stop signal was given.
    case stopped
}

extension StopSignal {
    /// Waits until something happens to a descriptor, with poll(2), at most so long.
    ///
    /// - Parameters:
    ///   - seconds: more than a day counts as a day, less than 0 as 0.
    ///   - awaited: a descriptor that fails counts as ready: whoever reads it finds out.
    package func wait(seconds: Double, for awaited: [Awaited]) -> Readiness {
        var entries = awaited.map { item in
            pollfd(
                fd: item.file.rawValue, events: Int16(item.event == .input ? POLLIN : POLLPRI),
                revents: 0)
        }
        entries.append(pollfd(fd: reader.rawValue, events: Int16(POLLIN), revents: 0))
        let milliseconds = Int32((seconds > 0 ? min(seconds, 86_400) * 1_000 : 0).rounded(.up))
        guard !isStopped else { return .stopped }
        let count = poll(&entries, nfds_t(entries.count), milliseconds)
        guard !isStopped else { return .stopped }
        // EINTR and any other failure end the wait early, and the caller asks again.
        guard count > 0 else { return .timedOut }
        return .ready(awaited.indices.filter { entries[$0].revents != 0 })
    }
}

extension FileDescriptor {
    /// Arms a trigger of pressure stall information, Documentation/accounting/psi.rst: poll(2) says
    /// when tasks have stalled for so long within the window. It lasts as long as the descriptor.
    ///
    /// - Parameters:
    ///   - path: `memory.pressure` of a control group, or /proc/pressure/memory.
    ///   - stallMicroseconds: how long some task has to have waited.
    ///   - windowMicroseconds: 500,000 to 10,000,000; who is not root may only use multiples of 2 s.
    /// - Throws: where the kernel has no pressure information, or refuses a trigger.
    package static func pressureTrigger(
        _ path: String, stallMicroseconds: Int, windowMicroseconds: Int
    ) throws(SystemError) -> FileDescriptor {
        let file = try open(path, flags: O_RDWR | O_NONBLOCK, mode: 0)
        // The kernel takes the NUL at the end for the end of the line.
        let words = Array("some \(stallMicroseconds) \(windowMicroseconds)\0".utf8)
        let count = words.withUnsafeBytes { write(file.rawValue, $0.baseAddress, $0.count) }
        guard count == words.count else { throw .last("write", path) }
        return file
    }

    /// Watches files for changes of their contents, with inotify(7); control group files report
    /// them so, cgroups(7).
    package static func changes(of paths: [String]) throws(SystemError) -> FileDescriptor {
        try changes(of: paths, mask: UInt32(IN_MODIFY))
    }

    /// Watches directories for files in them that come, go or are written.
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

    /// Takes all there is to read and forgets it; for a descriptor that does not block.
    package func drain() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 12, alignment: 8)
        defer { buffer.deallocate() }
        for _ in 0..<64 {
            guard let count = try? read(into: buffer), count > 0 else { return }
        }
    }
}
