// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import Glibc

/// Waits with inotify(7) for changes of a directory's entries.
///
/// Follows the path, unless given an open directory: if the directory is removed, renamed or
/// replaced, waits for the new one. If the kernel refuses an inotify instance or watch (EMFILE,
/// ENOSPC, ENOSYS), reports a possible change every few seconds. The watch only says when to look:
/// callers read the directory themselves. For one thread at a time.
package final class DirectoryWatch {
    package enum Reason: Sendable, Equatable {
        case changed
        case timedOut
        case stopped
    }

    package struct Options: Sendable {
        /// Poll interval for a directory that is missing or cannot be watched.
        package var pollSeconds = 2.0
        package var isInteresting: @Sendable (String) -> Bool = { _ in true }

        package init() {}
    }

    private struct Target {
        let queue: FileDescriptor
        let identity: FileIdentity
    }

    private let path: String
    private let stopSignal: StopSignal
    private let options: Options
    private let makeQueue: () throws(SystemError) -> FileDescriptor
    private var target: Target?
    /// Keeps the descriptor in `path` open.
    private var watched: Directory?
    /// State at the last check, for polling.
    private var lastSeen: FileIdentity?

    /// Watches from here on, so that changes after a first read are not missed. `path` may be
    /// missing; a symbolic link is not followed. `stopSignal` ends every wait.
    package convenience init(
        _ path: String, stopSignal: StopSignal, options: Options = Options()
    ) {
        self.init(path, stopSignal: stopSignal, options: options, makeQueue: Self.openQueue)
    }

    /// Watches an open directory, even if moved: by proc(5), otherwise by its own path.
    package convenience init(
        of directory: Directory, stopSignal: StopSignal, options: Options = Options()
    ) {
        // The trailing component makes the kernel follow the link.
        let path = "/proc/self/fd/\(directory.descriptor.rawValue)/."
        let isThere = (try? Directory(opening: path)) != nil
        self.init(
            isThere ? path : directory.path, stopSignal: stopSignal, options: options,
            makeQueue: Self.openQueue)
        watched = directory
    }

    init(
        _ path: String, stopSignal: StopSignal, options: Options,
        makeQueue: @escaping () throws(SystemError) -> FileDescriptor
    ) {
        self.path = path
        self.stopSignal = stopSignal
        self.options = options
        self.makeQueue = makeQueue
        _ = follow()
    }

    package var isWatching: Bool { target != nil }

    package var isPolling: Bool { target == nil && lastSeen != nil }

    /// Waits for a change in any of several directories. If one must be polled, all are checked at
    /// its interval. `watches` must use `stopSignal`; `seconds` are clamped to 0 to one day.
    package static func wait(
        for watches: [DirectoryWatch], stopSignal: StopSignal, seconds: Double
    ) -> Reason {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds > 0 ? min(seconds, 86_400) : 0)
        while true {
            if stopSignal.isStopped { return .stopped }
            // Check all of them: a change not read now would end the next wait.
            let changed = watches.filter { watch in
                let hasEvents = watch.drain()
                let hasMoved = watch.follow()
                return hasEvents || hasMoved
            }
            guard changed.isEmpty else { return .changed }
            let left = (end - clock.now) / .seconds(1)
            guard left > 0 else { return .timedOut }
            let blind = watches.filter { $0.target == nil }
            let poll = blind.map { max($0.options.pollSeconds, 0.01) }.min() ?? left
            let queues = watches.compactMap { $0.target.map { Awaited($0.queue, .input) } }
            let reason = stopSignal.wait(seconds: min(left, poll), for: queues)
            if reason == .timedOut, blind.contains(where: { $0.lastSeen != nil }) {
                return .changed
            }
        }
    }

    /// Waits for a change since the last wait; `seconds` are clamped to 0 to one day.
    package func wait(seconds: Double) -> Reason {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds > 0 ? min(seconds, 86_400) : 0)
        while true {
            if stopSignal.isStopped { return .stopped }
            // Drain first, because `follow` may discard the queue.
            if drain() || follow() { return .changed }
            let left = (end - clock.now) / .seconds(1)
            guard left > 0 else { return .timedOut }
            guard target == nil else {
                _ = sleep(seconds: left)
                continue
            }
            let isUndisturbed = sleep(seconds: min(left, max(options.pollSeconds, 0.01)))
            if isUndisturbed, lastSeen != nil { return .changed }
        }
    }

    /// Moves the watch, if needed. Returns whether there may be unreported changes.
    private func follow() -> Bool {
        let present = identity()
        let before = lastSeen
        lastSeen = present
        if let target, target.identity == present { return false }
        target = nil
        guard let present else { return before != nil }
        target = try? watch(present)
        return target != nil || present != before
    }

    private func identity() -> FileIdentity? {
        guard let directory = try? Directory(opening: path) else { return nil }
        return try? directory.descriptor.fileStatus().identity
    }

    private func watch(_ identity: FileIdentity) throws(SystemError) -> Target? {
        // A new queue for each directory; closing the old one drops its events.
        let queue = try makeQueue()
        let mask =
            UInt32(IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_DELETE)
            | UInt32(IN_ONLYDIR | IN_DONT_FOLLOW) | DirectoryEvents.directoryMask
        guard inotify_add_watch(queue.rawValue, path, mask) >= 0 else {
            throw .last("inotify_add_watch", path)
        }
        // The path may have changed since.
        guard self.identity() == identity else { return nil }
        return Target(queue: queue, identity: identity)
    }

    private func drain() -> Bool {
        guard let queue = target?.queue else { return false }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
        defer { buffer.deallocate() }
        var isOfInterest = false
        // Bounded, because a writer may be faster than this loop.
        for _ in 0..<64 {
            // Throws EAGAIN at the end.
            guard let count = try? queue.read(into: buffer), count > 0 else { break }
            let events = DirectoryEvents(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            if events.hasLostDirectory { target = nil }
            isOfInterest =
                isOfInterest || events.isIncomplete || events.hasLostDirectory
                || events.names.contains(where: options.isInteresting)
        }
        return isOfInterest
    }

    private func sleep(seconds: Double) -> Bool {
        var entries = [stopSignal.reader, target?.queue].compactMap { $0 }.map {
            pollfd(fd: $0.rawValue, events: Int16(POLLIN), revents: 0)
        }
        let milliseconds = Int32((min(seconds, 86_400) * 1_000).rounded(.up))
        return epitaph_wait_poll(&entries, entries.count, milliseconds) == 0
    }

    private static func openQueue() throws(SystemError) -> FileDescriptor {
        let queue = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard queue >= 0 else { throw .last("inotify_init1", "inotify") }
        return FileDescriptor(owning: queue, path: "inotify")
    }
}

struct DirectoryEvents {
    private(set) var names: [String] = []
    private(set) var isIncomplete = false
    private(set) var hasLostDirectory = false

    static let directoryMask = UInt32(IN_DELETE_SELF | IN_MOVE_SELF)
    private static let lostMask = directoryMask | UInt32(IN_IGNORED | IN_UNMOUNT)

    init(_ bytes: UnsafeRawBufferPointer) {
        let headerSize = MemoryLayout<inotify_event>.size
        var offset = 0
        while bytes.count - offset >= headerSize {
            let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let left = bytes.count - offset - headerSize
            guard let nameSize = Int(exactly: event.len), nameSize <= left else {
                isIncomplete = true
                return
            }
            let start = offset + headerSize
            take(event.mask, UnsafeRawBufferPointer(rebasing: bytes[start..<start + nameSize]))
            offset = start + nameSize
        }
    }

    private mutating func take(_ mask: UInt32, _ paddedName: UnsafeRawBufferPointer) {
        if mask & UInt32(IN_Q_OVERFLOW) != 0 { isIncomplete = true }
        if mask & Self.lostMask != 0 { hasLostDirectory = true }
        // Padded with zeros; empty for events of the directory itself.
        let name = paddedName.prefix { $0 != 0 }
        guard !name.isEmpty else { return }
        if let text = String(validating: name, as: UTF8.self) {
            names.append(text)
        } else {
            isIncomplete = true
        }
    }
}
