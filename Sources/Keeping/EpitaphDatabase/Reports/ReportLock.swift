// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// The right to change a report: `<uuid>.lock` beside it, with a time_t of 8 bytes as Crashpad's
/// tools write it. Removed by `release` or with the last reference.
///
/// It is written completely under a temporary name and then linked to its final name, as link(2)
/// replaces nothing, so a lock always identifies its owner. Without hard links it is created in
/// place with O_EXCL.
///
/// A living owner also holds flock(2) on the file. A lock without flock belongs to a dead owner or
/// to one of Crashpad's tools, which do not use it. Behind the time the owner stores its identity
/// (`LockOwner`): a lock whose owner is provably dead is taken over at once. Otherwise it counts as
/// held for `graceSeconds`. It is taken over in place, so that no two processes can remove each
/// other's.
final class ReportLock: Sendable {
    /// Longer than Crashpad's limit for one upload, 60 s.
    static let graceSeconds = 120.0
    /// For a file system without flock, where only the age counts.
    static let unprovenGraceSeconds = 86_400.0

    private let directory: Directory
    private let name: String
    private let file: ForkSafeMutex<FileDescriptor?>

    private init(directory: Directory, name: String, file: FileDescriptor) {
        self.directory = directory
        self.name = name
        self.file = ForkSafeMutex(file)
    }

    deinit {
        release()
    }

    /// - Throws: `.busy` if another process holds it.
    static func acquire(
        _ uuid: Epitaph.ID, in directory: Directory, at now: Timestamp
    ) throws(DatabaseError) -> ReportLock {
        for _ in 0..<4 {
            do throws(SystemError) {
                if let lock = try linked(uuid.lockName, in: directory, at: now) { return lock }
            } catch {
                guard error.isAlreadyThere else { throw .system(error) }
            }
            switch try attempt({ () throws(SystemError) in
                try takeOver(uuid.lockName, in: directory, at: now)
            }) {
            case .taken(let lock): return lock
            case .held: throw .busy(uuid)
            case .vanished: continue
            }
        }
        throw .busy(uuid)
    }

    var isHeld: Bool { file.withLock { $0 != nil } }

    func release() {
        file.withLock { file in
            guard let open = file else { return }
            file = nil
            if let mine = try? open.fileStatus().identity,
                (try? directory.status(of: name))??.identity == mine
            {
                _ = try? directory.remove(name)
            }
            open.unlock()
        }
    }

    private static func linked(
        _ name: String, in directory: Directory, at now: Timestamp
    ) throws(SystemError) -> ReportLock? {
        // If the process dies here, cleaning removes the leftover, a lock of no report.
        let unfinished = Epitaph.ID().lockName
        let file = try directory.create(unfinished)
        defer { _ = try? directory.remove(unfinished) }
        guard try locked(file) != .no else { return nil }
        try file.writeAll(contents(now), at: 0)
        do throws(SystemError) {
            try directory.link(unfinished, as: name)
        } catch {
            guard error.hasNoSecondNames else { throw error }
            return try fresh(try directory.create(name), directory: directory, name: name, at: now)
        }
        return ReportLock(directory: directory, name: name, file: file)
    }

    private static func fresh(
        _ file: FileDescriptor, directory: Directory, name: String, at now: Timestamp
    ) throws(SystemError) -> ReportLock? {
        guard try locked(file) != .no else { return nil }
        // Its deinitialiser removes the file if it cannot be written.
        let lock = ReportLock(directory: directory, name: name, file: file)
        try file.writeAll(contents(now), at: 0)
        return lock
    }

    private enum TakeOver {
        case taken(ReportLock), held, vanished
    }

    private static func takeOver(
        _ name: String, in directory: Directory, at now: Timestamp
    ) throws(SystemError) -> TakeOver {
        let opened = try unless(\.isNotFound, directory.openForWriting(name, creating: false))
        guard let file = opened else { return .vanished }
        // Before flock(2): even trying it could disturb a maker about to lock its new file. An
        // owner that has stored its identity has already locked it.
        let owner = LockOwner(try ownersBytes(of: file))
        let mayHaveEnded = owner.map { $0.isRunning(ProcFileSystem()) != true } ?? false
        if !mayHaveEnded {
            guard try isFree(file, after: graceSeconds, at: now) else { return .held }
        }
        switch try locked(file) {
        case .no: return .held
        // The owner locked the file before it stored its identity, and that lock is gone: it is
        // dead, whatever container it ran in.
        case .yes where mayHaveEnded: break
        case .yes: guard try isFree(file, after: graceSeconds, at: now) else { return .held }
        case .unsupported:
            guard try isFree(file, after: unprovenGraceSeconds, at: now) else { return .held }
        }
        guard try directory.status(of: name)?.identity == file.fileStatus().identity else {
            return .vanished
        }
        try file.truncate(toBytes: 0)
        try file.writeAll(contents(now), at: 0)
        return .taken(ReportLock(directory: directory, name: name, file: file))
    }

    /// Removes a lock that no process holds any more; false if it is held, may be held, or is gone.
    /// It is not taken over first, because that writes to the file, which may be a second name of a
    /// report's lock left by a dead maker.
    static func removeIfAbandoned(
        _ name: String, in directory: Directory, at now: Timestamp
    ) throws(SystemError) -> Bool {
        guard case .regular(let file, _) = try directory.find(name, for: .writing),
            try isFree(file, after: graceSeconds, at: now)
        else { return false }
        let isLocked = try locked(file)
        defer { if isLocked == .yes { file.unlock() } }
        let grace = isLocked == .unsupported ? unprovenGraceSeconds : graceSeconds
        guard isLocked != .no, try isFree(file, after: grace, at: now),
            try directory.status(of: name)?.identity == file.fileStatus().identity
        else { return false }
        return try directory.remove(name)
    }

    private enum Locked {
        case yes, no, unsupported
    }

    private static func locked(_ file: FileDescriptor) throws(SystemError) -> Locked {
        try unless(\.isUnsupported, file.tryLocking(.exclusive)).map { $0 ? .yes : .no }
            ?? .unsupported
    }

    private static func isFree(
        _ file: FileDescriptor, after grace: Double, at now: Timestamp
    ) throws(SystemError) -> Bool {
        if LockOwner(try ownersBytes(of: file))?.isRunning(ProcFileSystem()) == false {
            return true
        }
        return try ageSeconds(of: file, at: now) >= grace
    }

    private static func ownersBytes(of file: FileDescriptor) throws(SystemError) -> [UInt8] {
        try file.readBytes(count: LockOwner.byteCount, at: LockOwner.offset)
    }

    /// By the time in the file, or the file's own if its maker died before writing one. A time in
    /// the future counts by its distance, so that the lock ages even after the clock was set back.
    private static func ageSeconds(
        of file: FileDescriptor, at now: Timestamp
    ) throws(SystemError) -> Double {
        var cursor = ByteCursor(ByteSlice(try file.readBytes(count: 8, at: 0)))
        let made: Timestamp
        if let seconds = try? cursor.read(Int64.self) {
            made = Timestamp(wholeSeconds: seconds)
        } else {
            made = try file.fileStatus().modificationTime
        }
        return abs(now.seconds(since: made))
    }

    private static func contents(_ time: Timestamp) -> [UInt8] {
        var builder = ByteBuilder()
        builder.append(time.wholeSeconds)
        return builder.bytes + (LockOwner.own?.bytes ?? [])
    }
}
