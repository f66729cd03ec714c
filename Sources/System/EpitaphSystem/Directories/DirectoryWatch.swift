// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Waits with inotify(7) until something changes among the names in a directory.
///
/// It follows the path, unless it was given an open directory: if the directory is removed, renamed
/// or replaced, it waits for the new one. If the kernel has no inotify instance or watch for it
/// (EMFILE, ENOSPC, ENOSYS), it reports a possible change every few seconds. So a caller always
/// reads the directory itself; the watch only says when.
///
/// Belongs to one thread at a time.
package final class DirectoryWatch {
    /// Why a wait ended.
    package enum Reason: Sendable, Equatable {
        /// Something changed, or may have.
        case changed
        /// Nothing changed for the whole time.
        case timedOut
        /// The stop signal was given.
        case stopped
    }

    /// What a watch waits for.
    package struct Options: Sendable {
        /// How often a directory that is missing or cannot be watched is polled, in seconds.
        package var pollSeconds = 2.0
        /// Whether a change to this name ends a wait.
        package var isInteresting: @Sendable (String) -> Bool = { _ in true }

        /// Polls every 2 seconds if necessary, and every name is of interest.
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
    /// Kept open for its path.
    private var watched: Directory?
    /// The state at the last check, for a directory that cannot be watched.
    private var lastSeen: FileIdentity?

    /// Watches from here on, so that changes after a first read of the directory are not missed.
    ///
    /// - Parameters:
    ///   - path: need not exist. A symbolic link is not followed.
    ///   - stopSignal: ends every wait.
    ///   - options: how often to poll, and which names are of interest.
    package convenience init(
        _ path: String, stopSignal: StopSignal, options: Options = Options()
    ) {
        self.init(path, stopSignal: stopSignal, options: options, makeQueue: Self.openQueue)
    }

    /// Watches an open directory, wherever it is moved. inotify_add_watch(2) needs a path; the one
    /// through proc(5) leads to this very directory. Without /proc the directory's own path is
    /// used.
    package convenience init(
        of directory: Directory, stopSignal: StopSignal, options: Options = Options()
    ) {
        // With a component behind it the link in /proc is followed, because it is not the last one.
        let path = "/proc/self/fd/\(directory.descriptor.rawValue)/."
        let isThere = (try? Directory(opening: path)) != nil
        self.init(
            isThere ? path : directory.path, stopSignal: stopSignal, options: options,
            makeQueue: Self.openQueue)
        watched = directory
    }

    /// - Parameter makeQueue: opens an inotify instance.
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

    /// Whether the kernel reports changes now; otherwise the directory is missing or is polled.
    package var isWatching: Bool { target != nil }

    /// Whether the directory is there and the kernel cannot watch it, so that it is polled.
    package var isPolling: Bool { target == nil && lastSeen != nil }

    /// Waits until something has changed in one of several directories, at most this long. Where
    /// one has to be polled all of them are looked at as often.
    ///
    /// - Parameters:
    ///   - watches: made with the same stop signal.
    ///   - stopSignal: which ends the wait.
    ///   - seconds: more than a day counts as a day, less than 0 as 0.
    package static func wait(
        for watches: [DirectoryWatch], stopSignal: StopSignal, seconds: Double
    ) -> Reason {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds > 0 ? min(seconds, 86_400) : 0)
        while true {
            if stopSignal.isStopped { return .stopped }
            // Each is looked at, whatever the others say: what is not read now ends the next wait.
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

    /// Waits until something has changed since the last wait, at most this long.
    ///
    /// - Parameter seconds: more than a day counts as a day, less than 0 as 0.
    package func wait(seconds: Double) -> Reason {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds > 0 ? min(seconds, 86_400) : 0)
        while true {
            if stopSignal.isStopped { return .stopped }
            // The queue is read before the path is checked: following the path may empty it.
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

    /// Checks whether the watch is still on the directory at the path, and moves it there if not.
    ///
    /// - Returns: whether something may have changed that no watch has reported.
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
        // Each directory gets its own queue: closing it drops the remaining events of the last one.
        let queue = try makeQueue()
        let mask =
            UInt32(IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_DELETE)
            | UInt32(IN_ONLYDIR | IN_DONT_FOLLOW) | DirectoryEvents.directoryMask
        guard inotify_add_watch(queue.rawValue, path, mask) >= 0 else {
            throw .last("inotify_add_watch", path)
        }
        // The path may lead to another directory by now.
        guard self.identity() == identity else { return nil }
        return Target(queue: queue, identity: identity)
    }

    /// Reads all waiting events.
    ///
    /// - Returns: whether any is of interest.
    private func drain() -> Bool {
        guard let queue = target?.queue else { return false }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
        defer { buffer.deallocate() }
        var isOfInterest = false
        // Limited, because a writer may be quicker than this loop.
        for _ in 0..<64 {
            // EAGAIN if there are no more.
            guard let count = try? queue.read(into: buffer), count > 0 else { break }
            let events = DirectoryEvents(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            if events.hasLostDirectory { target = nil }
            isOfInterest =
                isOfInterest || events.isIncomplete || events.hasLostDirectory
                || events.names.contains(where: options.isInteresting)
        }
        return isOfInterest
    }

    /// - Returns: whether the time passed and nothing happened.
    private func sleep(seconds: Double) -> Bool {
        var entries = [stopSignal.reader, target?.queue].compactMap { $0 }.map {
            pollfd(fd: $0.rawValue, events: Int16(POLLIN), revents: 0)
        }
        let milliseconds = Int32((min(seconds, 86_400) * 1_000).rounded(.up))
        return poll(&entries, nfds_t(entries.count), milliseconds) == 0
    }

    private static func openQueue() throws(SystemError) -> FileDescriptor {
        let queue = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard queue >= 0 else { throw .last("inotify_init1", "inotify") }
        return FileDescriptor(owning: queue, path: "inotify")
    }
}

/// A batch of inotify(7) events, parsed without trusting its lengths.
struct DirectoryEvents {
    /// Names that changed, in order.
    private(set) var names: [String] = []
    /// Events were dropped, or one had a name that is not UTF-8, so not all changes are known.
    private(set) var isIncomplete = false
    /// The directory itself was removed, renamed or unmounted.
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
        // The name is padded with zeros; events of the directory itself have none.
        let name = paddedName.prefix { $0 != 0 }
        guard !name.isEmpty else { return }
        if let text = String(validating: name, as: UTF8.self) {
            names.append(text)
        } else {
            isIncomplete = true
        }
    }
}
