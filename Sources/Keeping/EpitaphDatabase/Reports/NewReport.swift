// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// A report being written: `new/<uuid>.dmp`. It is removed unless it is finished. The writer holds
/// flock(2) on the file, so that a dead writer's file can be taken over; on a file system without
/// locks it holds `new/<uuid>.lock`, as for a filed report.
package final class NewReport: Sendable {
    package let uuid: Epitaph.ID
    private let database: ReportDatabase
    private let file: FileDescriptor
    private let lock: ReportLock?
    private let attachedFiles = ForkSafeMutex<[FileDescriptor]>([])
    private let attachedNames = ForkSafeMutex<Set<String>>([])
    private let isOpen = ForkSafeMutex(true)

    fileprivate init(
        uuid: Epitaph.ID, database: ReportDatabase, file: FileDescriptor, lock: ReportLock?
    ) {
        self.uuid = uuid
        self.database = database
        self.file = file
        self.lock = lock
    }

    deinit {
        abandon()
    }

    package var sink: FileSink { FileSink(file) }

    package func addAttachment(_ name: String) throws(DatabaseError) -> FileDescriptor {
        try ReportDatabase.checkAttachmentName(name)
        let attached = try attempt { () throws(SystemError) in
            // Its name is synced when the report is filed.
            try database.attachments.make(uuid.fileStem)
            return try database.attachments.openDirectory(uuid.fileStem).create(name)
        }
        attachedFiles.withLock { $0.append(attached) }
        attachedNames.withLock { _ = $0.insert(name) }
        return attached
    }

    package func hasAttachment(_ name: String) -> Bool {
        attachedNames.withLock { $0.contains(name) }
    }

    /// Removes an attachment that could not be written completely.
    func dropAttachment(_ name: String) {
        _ = try? database.attachments.openDirectory(uuid.fileStem).remove(name)
        attachedNames.withLock { _ = $0.remove(name) }
    }

    /// Files the report as pending. On return all of it survives a power failure.
    @discardableResult
    package func finish() throws(DatabaseError) -> Report {
        if let failure = database.file([self])[0] { throw failure }
        return try database.report(uuid)
    }

    package var openFileCount: Int { 1 + attachedFiles.withLock { $0.count } }

    var isUnfinished: Bool { isOpen.withLock { $0 } }

    /// What must be on disk before the minidump gets its final name.
    func written() throws(SystemError) -> GroupSync.Part {
        // The kernel's time stamps are milliseconds apart, too coarse to order two reports.
        try? file.setModificationTimeToNow()
        let attached = attachedFiles.withLock { $0 }
        var part = GroupSync.Part(files: [file] + attached)
        if !attached.isEmpty {
            part.directories.append(try database.attachments.openDirectory(uuid.fileStem))
        }
        return part
    }

    var hasAttachments: Bool { attachedFiles.withLock { !$0.isEmpty } }

    func becomeReport() {
        isOpen.withLock { $0 = false }
    }

    package func abandon() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        _ = try? database.newReports.remove(uuid.minidumpName)
        try? database.removeAttachments(of: uuid)
        letGo()
    }

    func letGo() {
        file.unlock()
        lock?.release()
    }
}

extension ReportDatabase {
    /// Begins a report. One source should always give the same id, so that an interrupted report is
    /// recognised.
    ///
    /// - Throws: `.alreadyFiled`; `.busy` if another process is writing this report.
    package func prepareReport(_ uuid: Epitaph.ID = Epitaph.ID()) throws(DatabaseError) -> NewReport
    {
        guard try !isFiled(uuid) else { throw .alreadyFiled(uuid) }
        for _ in 0..<4 {
            switch try openNew(uuid) {
            case .opened(let file, let lock):
                return NewReport(uuid: uuid, database: self, file: file, lock: lock)
            case .held: throw .busy(uuid)
            case .replaced: continue
            }
        }
        throw .busy(uuid)
    }

    private enum Opening {
        case opened(FileDescriptor, ReportLock?), held, replaced
    }

    private func openNew(_ uuid: Epitaph.ID) throws(DatabaseError) -> Opening {
        let name = uuid.minidumpName
        let file = try attempt(newReports.openForWriting(name, creating: true))
        var lock: ReportLock?
        do throws(SystemError) {
            guard try file.tryLocking(.exclusive) else { return .held }
        } catch {
            guard error.isUnsupported else { throw .system(error) }
            lock = try lockNew(uuid)
        }
        let status = try attempt(file.fileStatus())
        guard status.kind == .regular else {
            throw .broken(path: file.path, reason: "something else than a file is in its place")
        }
        let isReplaced = try attempt(newReports.status(of: name)?.identity != status.identity)
        guard !isReplaced else { return .replaced }
        // The previous writer may have filed it meanwhile; then its attachments belong to a report.
        guard try !isFiled(uuid) else {
            _ = try attempt(newReports.remove(name))
            throw .alreadyFiled(uuid)
        }
        try attempt { () throws(SystemError) in
            try file.truncate(toBytes: 0)
            try removeAttachments(of: uuid)
        }
        return .opened(file, lock)
    }

    private func lockNew(_ uuid: Epitaph.ID) throws(DatabaseError) -> ReportLock {
        do throws(DatabaseError) {
            return try ReportLock.acquire(uuid, in: newReports, at: clock.now())
        } catch {
            // The holder may have filed it before we opened, and thereby created, an empty file.
            guard try isFiled(uuid) else { throw error }
            _ = try? newReports.remove(uuid.minidumpName)
            throw .alreadyFiled(uuid)
        }
    }
}
