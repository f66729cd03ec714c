// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

extension ReportDatabase {
    /// Files written reports as pending, with one sync for each step of all of them. Returns, in
    /// order, why a report is not filed; with nil it survives a power failure completely.
    package func file(_ reports: [NewReport]) -> [DatabaseError?] {
        var filings = reports.map { Filing($0, in: self) }
        let sync = GroupSync(root: root)
        // All contents are on disk before any report gets its name in `pending/`.
        var parts: [GroupSync.Part] = []
        for index in filings.indices { parts.append(filings[index].prepare()) }
        let attached = filings.contains { $0.failure == nil && $0.report.hasAttachments }
        let failures = sync.synchronize(parts, shared: attached ? [attachments] : [])
        for (index, failure) in failures.enumerated() {
            if let failure { filings[index].fail(failure) }
        }
        // Metadata first: it is harmless alone, but a minidump without it is not a report.
        for index in filings.indices { filings[index].placeMetadata() }
        synchronize([pending], for: &filings)
        for index in filings.indices { filings[index].placeMinidump() }
        synchronize([pending, newReports], for: &filings)
        for index in filings.indices { filings[index].end() }
        return filings.map(\.failure)
    }

    private func synchronize(_ directories: [Directory], for filings: inout [Filing]) {
        guard filings.contains(where: { $0.failure == nil }) else { return }
        do throws(SystemError) {
            for directory in directories { try directory.synchronize() }
        } catch {
            for index in filings.indices { filings[index].fail(error) }
        }
    }
}

private struct Filing {
    let report: NewReport
    private let database: ReportDatabase
    private var lock: ReportLock?
    private var hasMetadata = false
    private(set) var failure: DatabaseError?

    init(_ report: NewReport, in database: ReportDatabase) {
        self.report = report
        self.database = database
    }

    mutating func fail(_ error: SystemError) {
        fail(DatabaseError.system(error))
    }

    private mutating func fail(_ error: DatabaseError) {
        guard failure == nil else { return }
        failure = error
        guard report.isUnfinished else { return }
        _ = try? database.newReports.remove(report.uuid.metadataName)
        if hasMetadata { _ = try? database.pending.remove(report.uuid.metadataName) }
    }

    /// Locks the report and writes the metadata beside its final file. Returns what must be synced.
    mutating func prepare() -> GroupSync.Part {
        do throws(DatabaseError) {
            return try prepared()
        } catch {
            failure = error
            return GroupSync.Part()
        }
    }

    private mutating func prepared() throws(DatabaseError) -> GroupSync.Part {
        let uuid = report.uuid
        guard report.isUnfinished else { throw .notFound(uuid.fileStem) }
        var part = try attempt(report.written())
        let now = database.clock.now()
        lock = try ReportLock.acquire(uuid, in: database.pending, at: now)
        guard try !database.isFiled(uuid) else { throw .alreadyFiled(uuid) }
        if case .broken = try database.storedMetadata(of: uuid, in: database.pending) {
            try database.keepMetadataAside(of: uuid, in: database.pending)
        }
        let crashTime = database.crashTime(inMinidumpOf: uuid, in: database.newReports)
        let metadata = ReportMetadata(
            creationSeconds: now.wholeSeconds, crashMicroseconds: crashTime?.wholeMicroseconds)
        part.files.append(try database.writeBeside(metadata, of: uuid))
        return part
    }

    mutating func placeMetadata() {
        guard failure == nil else { return }
        do throws(SystemError) {
            let name = report.uuid.metadataName
            try database.newReports.rename(name, to: database.pending, as: name)
            hasMetadata = true
        } catch {
            fail(error)
        }
    }

    mutating func placeMinidump() {
        guard failure == nil else { return }
        do throws(SystemError) {
            let name = report.uuid.minidumpName
            try database.newReports.rename(name, to: database.pending, as: name)
            report.becomeReport()
        } catch {
            fail(error)
        }
    }

    mutating func end() {
        lock?.release()
        if failure == nil { report.letGo() }
    }
}
