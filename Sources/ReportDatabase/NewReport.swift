// SPDX-License-Identifier: Apache-2.0

import Bytes
import FoundationEssentials
import LinuxSystem
import Synchronization

/// A report being written: `new/<uuid>.dmp`. It is given up unless it is finished.
///
/// The writer holds flock(2) on the file, so that what a dead writer left behind can be told and
/// taken over.
public final class NewReport: Sendable {
    public let uuid: UUID
    private let database: ReportDatabase
    private let file: FileDescriptor
    private let attachedFiles = Mutex<[FileDescriptor]>([])
    private let isOpen = Mutex(true)

    fileprivate init(uuid: UUID, database: ReportDatabase, file: FileDescriptor) {
        self.uuid = uuid
        self.database = database
        self.file = file
    }

    deinit {
        abandon()
    }

    /// Takes the minidump's bytes.
    public var sink: FileSink { FileSink(file) }

    /// Makes an attachment and opens it for writing.
    public func addAttachment(_ name: String) throws(DatabaseError) -> FileDescriptor {
        try ReportDatabase.checkAttachmentName(name)
        let attached = try attempt { () throws(SystemError) in
            try database.attachments.makeAndOpen(uuid.fileStem).create(name)
        }
        attachedFiles.withLock { $0.append(attached) }
        return attached
    }

    /// Files the report as pending. When this returns, all of it survives a power failure.
    @discardableResult
    public func finish() throws(DatabaseError) -> Report {
        guard isOpen.withLock({ $0 }) else { throw .notFound(uuid.fileStem) }
        let attached = attachedFiles.withLock { $0 }
        try attempt { () throws(SystemError) in
            try file.synchronize()
            for attachment in attached { try attachment.synchronize() }
            if !attached.isEmpty {
                try database.attachments.openDirectory(uuid.fileStem).synchronize()
            }
        }
        try database.file(uuid)
        isOpen.withLock { $0 = false }
        file.unlock()
        return try database.report(uuid)
    }

    /// Removes what was written. Does nothing after `finish`.
    public func abandon() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        _ = try? database.newReports.remove(uuid.minidumpName)
        try? database.removeAttachments(of: uuid)
        file.unlock()
    }
}

extension ReportDatabase {
    /// Begins a report.
    ///
    /// - Parameter uuid: the report's id; the same source should always give the same, so that a
    ///   report whose making was
    ///   interrupted is recognised.
    /// - Throws: `.alreadyFiled`; `.busy` when another process is writing that very report.
    public func prepareReport(_ uuid: UUID = UUID()) throws(DatabaseError) -> NewReport {
        guard try !isFiled(uuid) else { throw .alreadyFiled(uuid) }
        for _ in 0..<4 {
            switch try attempt({ () throws(SystemError) in try openNew(uuid) }) {
            case .opened(let file): return NewReport(uuid: uuid, database: self, file: file)
            case .held: throw .busy(uuid)
            case .replaced: continue
            }
        }
        throw .busy(uuid)
    }

    private enum Opening {
        case opened(FileDescriptor), held, replaced
    }

    /// Opens `new/<uuid>.dmp`, empty; a dead writer's file is used again.
    private func openNew(_ uuid: UUID) throws(SystemError) -> Opening {
        let name = uuid.minidumpName
        let file = try newReports.openForWriting(name, creating: true)
        guard try file.isTaken() else { return .held }
        guard try newReports.status(of: name)?.identity == file.fileStatus().identity else {
            return .replaced
        }
        try file.truncate(toBytes: 0)
        try removeAttachments(of: uuid)
        return .opened(file)
    }

    /// Moves a synced minidump from `new/` to `pending/`. The metadata goes first: without a
    /// minidump it is harmless, and a minidump without it would be no report.
    fileprivate func file(_ uuid: UUID) throws(DatabaseError) {
        let now = clock.now()
        let lock = try ReportLock.acquire(uuid, in: pending, at: now)
        defer { lock.release() }
        guard try !isFiled(uuid) else { throw .alreadyFiled(uuid) }
        try write(ReportMetadata(creationSeconds: now.wholeSeconds), of: uuid, in: pending)
        do throws(SystemError) {
            try pending.synchronize()
            try newReports.rename(uuid.minidumpName, to: pending, as: uuid.minidumpName)
        } catch {
            _ = try? pending.remove(uuid.metadataName)
            throw .system(error)
        }
        try attempt { () throws(SystemError) in
            try pending.synchronize()
            try newReports.synchronize()
        }
    }
}

extension FileDescriptor {
    /// Takes the file for this writer; a file system without flock is no reason to lose a report.
    fileprivate func isTaken() throws(SystemError) -> Bool {
        do throws(SystemError) {
            return try tryLocking(.exclusive)
        } catch {
            guard error.isUnsupported else { throw error }
            return true
        }
    }
}
