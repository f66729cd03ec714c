// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphExplanation
import EpitaphMinidump
import EpitaphSystem
import EpitaphValues

/// A hundred thousand of these are in memory beside the reports, so each is small.
struct ListedReport {
    fileprivate let list: DatabaseReports
    fileprivate let place: Int32
    fileprivate let idLength: UInt8
    /// Nil if the minidump cannot be read. Thousands of reports share one object.
    let facts: ReportFacts?

    var report: Report { list.reports[Int(place)] }

    /// As named on the command line.
    var databasePath: String { list.path }

    /// How many characters of the id tell it from all others of the database.
    var prefixLength: Int { Int(idLength) }

    var id: String { report.uuid.description }

    /// The time of the crash from the minidump; otherwise the time of filing.
    var time: Timestamp { report.crashTime ?? report.creationTime }

    var state: String { ReportStateWord.of(PruneCandidate(report)) }
}

private final class DatabaseReports: Sendable {
    let path: String
    let reports: [Report]

    init(path: String, reports: [Report]) {
        self.path = path
        self.reports = reports
    }
}

final class ReportFacts: Sendable {
    /// Nil if the minidump does not say.
    let kind: ReportKind?
    /// `SIGSEGV`; nil if the process did not crash.
    let signal: String?
    let program: String?

    init(kind: ReportKind?, signal: String?, program: String?) {
        self.kind = kind
        self.signal = signal
        self.program = program
    }
}

extension ReportFacts {
    var hasSignature: Bool {
        switch kind {
        case .crash, .hang, .recoveredHang, .handledError, .memoryWarning, .outOfMemory: true
        case .live, .unknown, nil: false
        }
    }

    /// Shown as the signal; `hang` if there is none.
    var reason: String? { signal ?? (kind == .crash ? nil : kind?.word) }

    convenience init(_ snapshot: ProcessSnapshot) {
        self.init(
            kind: snapshot.kind,
            signal: snapshot.exception.flatMap { exception in
                let name = DeathReason(exception, of: snapshot).signalName
                return name.split(separator: " ").first.map(String.init)
            },
            program: snapshot.executablePath)
    }

    /// Reads only the needed parts and maps nothing: there may be thousands, and a file may shrink.
    convenience init(readingMinidump file: FileDescriptor, at path: String) throws {
        self.init(try Self.outline(of: file, at: path, MinidumpReader.readOutline))
    }

    /// Reads these parts by `read`.
    static func outline(
        of file: FileDescriptor, at path: String,
        _ read: (MinidumpPieces) throws(MinidumpError) -> ProcessSnapshot
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
        let start = pieces.bytes(at: 0, count: FileKind.neededByteCount)
        if let failure { throw failure }
        guard FoundBytes(start, ofReportAt: path).isMinidump else {
            throw NoMinidump(start, byteCount: size)
        }
        let snapshot: ProcessSnapshot
        do {
            snapshot = try read(pieces)
        } catch {
            throw failure ?? error
        }
        if let failure { throw failure }
        return snapshot
    }

    private struct NoMinidump: Error, CustomStringConvertible {
        let description: String

        init(_ bytes: ByteSlice, byteCount: Int) {
            let words = FileKind.words(bytes, byteCount: byteCount)
            description = "it is not a minidump but \(words)"
        }
    }
}

extension ListedReport {
    static func all(
        in database: ReportDatabase, matching filter: ListFilter, _ output: Output
    ) throws(CommandFailure) -> [ListedReport] {
        let list = try onDatabase(database.allReports())
        list.problems.forEach { output.complain($0.sentence) }
        let count = list.reports.count { filter.mayContain($0) }
        let order = IDOrder(of: list.reports)
        let idLengths = order.prefixLengths(of: list.reports)
        var index = ListIndex(of: database, list.reports, order)
        let all = DatabaseReports(path: database.path, reports: list.reports)
        return output.progress.during("reading reports") {
            var listed: [ListedReport] = []
            listed.reserveCapacity(count)
            var number = 0
            for (place, report) in list.reports.enumerated() where filter.mayContain(report) {
                number += 1
                defer { output.progress.update(done: number, of: count) }
                guard let found = facts(of: report, at: place, in: database, &index, output),
                    filter.contains(found.facts),
                    !filter.needsAnnotations
                        || saysWhatIsWanted(report, in: database, filter, output)
                else { continue }
                listed.append(
                    ListedReport(
                        list: all, place: Int32(place), idLength: idLengths[place],
                        facts: found.facts))
            }
            index.store()
            return listed
        }
    }

    private struct FoundFacts {
        let facts: ReportFacts?
    }

    private static func facts(
        of report: Report, at place: Int, in database: ReportDatabase, _ index: inout ListIndex,
        _ output: Output
    ) -> FoundFacts? {
        if let known = index.facts[place] { return FoundFacts(facts: known) }
        do {
            let facts = try ReportFacts(
                readingMinidump: database.openMinidump(of: report.uuid, isKnownAsFile: true),
                at: report.path)
            return FoundFacts(facts: index.add(facts, at: place))
        } catch DatabaseError.notFound {
            return nil
        } catch {
            output.complain("\(report.path) cannot be read: \(error)")
            return FoundFacts(facts: nil)
        }
    }

    private static func saysWhatIsWanted(
        _ report: Report, in database: ReportDatabase, _ filter: ListFilter, _ output: Output
    ) -> Bool {
        do {
            return filter.contains(
                try ReportFacts.outline(
                    of: database.openMinidump(of: report.uuid), at: report.path,
                    MinidumpReader.readAnnotations))
        } catch DatabaseError.notFound {
            return false
        } catch {
            output.complain("\(report.path) cannot be read: \(error)")
            return false
        }
    }
}
