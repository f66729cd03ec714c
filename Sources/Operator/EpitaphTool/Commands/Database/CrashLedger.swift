// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphExplanation
import EpitaphMinidump
import EpitaphService
import EpitaphSystem
import EpitaphValues

/// Crash counts of a database, kept when reports are removed. docs/decisions/database.md
struct CrashLedger {
    private static let directoryName = "crash-counts"
    private static let fileName = "counts"
    private static let lockName = "lock"
    private static let partialName = "counts.partial"
    /// 100,000 reports need 5 MiB.
    private static let byteLimit = 64 << 20
    /// Another process holds the lock while it reads the new reports.
    private static let patience = Duration.seconds(5)

    let database: ReportDatabase

    func countBeforeRemoval(_ output: Output) {
        do {
            let kept = try onDatabase(
                try database.openDirectory(Self.directoryName, ifMissing: .fail))
            guard kept != nil else { return }
            let reports = try onDatabase(database.allReports().reports)
            _ = try counts(with: reports)
        } catch {
            output.note(error.sentence)
        }
    }

    func counts(with reports: [Report]) throws(CommandFailure) -> CrashCounts {
        let directory = try onDatabase(
            try database.openDirectory(Self.directoryName, ifMissing: .create))
        guard let directory else { throw Self.failure("its directory cannot be made") }
        do throws(SystemError) {
            let lock = try directory.openForWriting(Self.lockName, creating: true)
            guard try lock.lock(.exclusive, within: Self.patience) else {
                throw SystemError(call: "flock", subject: lock.path, errorNumber: Self.busy)
            }
            defer { lock.unlock() }
            let earlier = try read(directory)
            var counts = earlier ?? CrashCounts()
            add(reports, to: &counts)
            if counts != earlier { try write(counts, to: directory) }
            return counts
        } catch {
            throw Self.failure(error.description)
        }
    }

    /// EAGAIN, errno(3)
    private static let busy: Int32 = 11

    private static func failure(_ reason: String) -> CommandFailure {
        CommandFailure(.incomplete, "the counts of crashes cannot be kept: \(reason)")
    }

    private func add(_ reports: [Report], to counts: inout CrashCounts) {
        let signatures = SignatureCache(database)
        for report in reports where !counts.counted.contains(report.uuid) {
            // Unreadable reports are tried again next time.
            guard let facts = facts(of: report) else { continue }
            guard facts.isCrash else {
                counts.count(report.uuid, as: nil)
                continue
            }
            let signature = signatures.signature(of: report.uuid)?.text
            let kind = signature?.split(separator: " ").first.map(String.init) ?? "unknown"
            counts.count(
                report.uuid,
                as: .init(program: facts.program, version: facts.version, kind: kind))
        }
        counts.forgetReports(except: Set(reports.map(\.uuid)))
    }

    private func facts(of report: Report) -> (isCrash: Bool, program: String, version: String)? {
        guard
            let outline = try? ReportFacts.outline(
                of: database.openMinidump(of: report.uuid), at: report.path,
                MinidumpReader.readOutline),
            let said = try? ReportFacts.outline(
                of: database.openMinidump(of: report.uuid), at: report.path,
                MinidumpReader.readAnnotations)
        else { return nil }
        let facts = ReportFacts(outline)
        let name = facts.program.map { ModuleSnapshot.fileName(of: $0) }
        return (
            facts.kind == .crash, name ?? said.launch?.bundleID ?? "", said.programVersion ?? ""
        )
    }

    /// Nil if missing or damaged: counts restart at zero, as readers of counters expect.
    private func read(_ directory: Directory) throws(SystemError) -> CrashCounts? {
        guard let file = try unless(\.isNotFound, directory.openForReading(Self.fileName)) else {
            return nil
        }
        return CrashCounts(
            String(decoding: try file.readAll(limit: Self.byteLimit), as: UTF8.self))
    }

    private func write(_ counts: CrashCounts, to directory: Directory) throws(SystemError) {
        try directory.remove(Self.partialName)
        try directory.replace(
            Self.fileName, with: Array(counts.text.utf8), writing: Self.partialName,
            isSynced: true)
    }
}
