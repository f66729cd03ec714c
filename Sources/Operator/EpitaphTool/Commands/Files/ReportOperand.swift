// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphValues

/// The REPORT operand: a report of the database, or a file.
enum ReportOperand {
    static let description = OperandDescription(
        "REPORT", "a report's id, the beginning of one, \"latest\", or a file", isRequired: false,
        kind: .report)

    static let latest = "latest"

    /// Finds the report or file; nil stands for the latest report.
    ///
    /// Without a named database, a file of that name goes before a report of the service's.
    static func bytes(
        _ word: String?, _ arguments: ParsedArguments, _ output: Output,
        of command: CommandDescription
    ) throws(CommandFailure) -> FoundBytes {
        let named = NamedDatabases.paths(arguments)
        if let word, !looksLikeID(word) || (named.isEmpty && isFile(word)) {
            return try FoundBytes(reading: word)
        }
        let paths = NamedDatabases.orWatched(arguments, output)
        guard !paths.isEmpty else {
            guard let word else {
                throw CommandFailure(
                    usage:
                        "REPORT is missing, and there is no database to take the latest one from",
                    of: command)
            }
            return try file(word)
        }
        let (database, report) = try report(word, inDatabasesAt: paths)
        let bytes = try onDatabase(database.contents(of: report))
        var found = FoundBytes(bytes, ofReportAt: report.path, owner: database.owner)
        found.report = report.uuid
        return found
    }

    /// From several databases, the one that has the report, or the latest of all.
    private static func report(
        _ word: String?, inDatabasesAt paths: [String]
    ) throws(CommandFailure) -> (ReportDatabase, Report) {
        var found: [(database: ReportDatabase, report: Report)] = []
        var failures: [CommandFailure] = []
        for path in paths {
            do {
                let database = try ReportDatabase(named: path)
                found.append((database, try report(word, in: database)))
            } catch {
                // An id prefix that is ambiguous in one database is ambiguous in all.
                guard error.status == .notFound else { throw error }
                failures.append(error)
            }
        }
        let isLatest = word == nil || word == latest
        if let word, !isLatest, found.count > 1 {
            let shown = found.map {
                "\($0.report.uuid.description) in \($0.database.path)"
            }
            throw CommandFailure(
                .incomplete,
                "\(found.count) reports begin with \(word), give more of the id: "
                    + shown.joined(separator: ", "))
        }
        guard let best = found.max(by: { $0.report.order < $1.report.order }) else {
            guard failures.count > 3 else {
                throw CommandFailure(.notFound, failures.map(\.sentence).joined(separator: "; "))
            }
            throw CommandFailure(
                .notFound,
                "there is no report \(isLatest ? "" : (word ?? "") + " ")in \(paths.count) databases; "
                    + "\"\(ProgramDescription.name) list\" lists all")
        }
        return best
    }

    /// Without a database what looks like an id can only be a file.
    private static func file(_ word: String) throws(CommandFailure) -> FoundBytes {
        do {
            return try FoundBytes(reading: word)
        } catch {
            guard error.status == .notFound else { throw error }
            throw CommandFailure(
                .notFound,
                error.sentence + "; for a report of that id, name the database with --database DIR")
        }
    }

    private static func report(
        _ word: String?, in database: ReportDatabase
    ) throws(CommandFailure) -> Report {
        guard let word, word != latest else { return try newest(of: database) }
        do {
            return try database.report(matching: word)
        } catch .notFound {
            let hint =
                isFile(word)
                ? "write ./\(word) for the file of that name"
                : "\"\(ProgramDescription.name) list\" lists its reports"
            throw CommandFailure(
                .notFound, "there is no report \(word) in \(database.path); \(hint)")
        } catch .ambiguous(let prefix, let matches) {
            let shown = matches.prefix(5).map { $0.description }
            let rest = matches.count > shown.count ? ", …" : ""
            throw CommandFailure(
                .incomplete,
                "\(matches.count) reports begin with \(prefix), give more of the id: "
                    + shown.joined(separator: ", ") + rest)
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func newest(of database: ReportDatabase) throws(CommandFailure) -> Report {
        let reports = try onDatabase(database.allReports().reports)
        guard let latest = reports.last else {
            throw CommandFailure(
                .notFound,
                "there is no report in \(database.path); "
                    + WaitingDumps(in: database).sentence)
        }
        return latest
    }

    private static func isFile(_ word: String) -> Bool {
        (try? realPath(of: word)) != nil
    }

    /// `latest`, or only hexadecimal digits and hyphens.
    private static func looksLikeID(_ word: String) -> Bool {
        word == latest || word.allSatisfy { ($0.isHexDigit && $0.isASCII) || $0 == "-" }
    }
}
