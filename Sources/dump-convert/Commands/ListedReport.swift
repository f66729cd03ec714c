// SPDX-License-Identifier: Apache-2.0

import CrashReport
import FoundationEssentials
import LinuxSystem
import Minidump
import ReportDatabase
import Snapshot

/// What `list` knows about a report.
struct ListedReport {
    let report: Report
    /// Nil if the minidump cannot be read.
    let facts: ReportFacts?

    var id: String { report.uuid.uuidString.lowercased() }

    /// The time of the crash from its minidump; the time of filing if it has none.
    var time: Date { report.crashTime ?? report.creationTime }

    var state: String { ReportStateWord.of(PruneCandidate(report)) }
}

/// What a list shows of a minidump.
struct ReportFacts: Equatable {
    /// What the report is of; nil where it does not say.
    let kind: ReportKind?
    /// `SIGSEGV`; nil when the process did not crash.
    let signal: String?
    let program: String?
}

extension ReportFacts {
    /// Whether reports of its kind are told apart by stacks.
    var hasSignature: Bool {
        switch kind {
        case .crash, .hang, .recoveredHang, .handledError, .memoryWarning, .outOfMemory: true
        case .live, .unknown, nil: false
        }
    }

    /// What a list shows in the signal's place where there is none: `hang`.
    var reason: String? { signal ?? (kind == .crash ? nil : kind?.word) }

    init(_ snapshot: ProcessSnapshot) {
        kind = snapshot.kind
        signal = snapshot.exception.flatMap { exception in
            let name = DeathReason(exception, of: snapshot).signalName
            return name.split(separator: " ").first.map(String.init)
        }
        program = snapshot.executablePath
    }

    /// Reads only the few places of a minidump that contain it, and maps nothing: a list may have
    /// thousands, and any of them may shrink while it is read.
    init(readingMinidump file: FileDescriptor, at path: String) throws {
        self.init(try Self.outline(ofMinidump: file, at: path))
    }

    /// The few places themselves.
    static func outline(
        ofMinidump file: FileDescriptor, at path: String
    ) throws -> ProcessSnapshot {
        let size = try file.fileStatus().sizeBytes
        var failure: SystemError?
        let pieces = MinidumpPieces(byteCount: size) { offset, count in
            do throws(SystemError) {
                return try file.readBytes(count: count, at: offset)
            } catch {
                failure = error
                return []
            }
        }
        let start = try file.readBytes(count: FileKind.neededByteCount, at: 0)
        guard FoundBytes(.init(start), ofReportAt: path).isMinidump else {
            throw NoMinidump(start, byteCount: size)
        }
        do {
            let outline = try MinidumpReader.readOutline(pieces)
            if let failure { throw failure }
            return outline
        } catch {
            throw failure ?? error
        }
    }

    private struct NoMinidump: Error, CustomStringConvertible {
        let description: String

        init(_ bytes: [UInt8], byteCount: Int) {
            let words = FileKind.words(.init(bytes), byteCount: byteCount)
            description = "it is no minidump but \(words)"
        }
    }
}

extension ListedReport {
    /// The reports of a database that crashed at `since` or later, the oldest crash first.
    static func all(
        in database: ReportDatabase, since: Date?, _ output: Output
    ) throws(CommandFailure) -> [ListedReport] {
        let list = try onDatabase { () throws(DatabaseError) in try database.allReports() }
        list.problems.forEach { output.complain($0.sentence) }
        let reports = list.reports.filter { report in
            since.map { report.order.time >= $0 } ?? true
        }
        var index = ListIndex(of: database)
        return output.progress.during("reading reports") {
            var listed: [ListedReport] = []
            for (number, report) in reports.enumerated() {
                if let found = read(report, in: database, &index, output) { listed.append(found) }
                output.progress.update(done: number + 1, of: reports.count)
            }
            index.store(keeping: list.reports)
            return listed
        }
    }

    /// Nil for a report that was removed since it was listed.
    private static func read(
        _ report: Report, in database: ReportDatabase, _ index: inout ListIndex, _ output: Output
    ) -> ListedReport? {
        if let known = index.facts(of: report) { return ListedReport(report: report, facts: known) }
        do {
            // It may have moved to another state in the meantime, so the file is opened where it is
            // now.
            let facts = try ReportFacts(
                readingMinidump: database.openMinidump(of: report.uuid), at: report.path)
            index.add(facts, of: report)
            return ListedReport(report: report, facts: facts)
        } catch DatabaseError.notFound {
            return nil
        } catch {
            output.complain("\(report.path) cannot be read: \(error)")
            return ListedReport(report: report, facts: nil)
        }
    }
}
