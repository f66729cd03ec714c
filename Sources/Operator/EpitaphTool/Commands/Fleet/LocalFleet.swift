// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphExplanation
import EpitaphFleet
import EpitaphMinidump
import EpitaphValues

/// The week of the reports in this machine's databases.
enum LocalFleet {
    static func week(
        _ span: WeekSpan, _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) -> CountedWeek {
        let paths = try NamedDatabases.orWatched(
            arguments, of: FleetCommand.description, isOne: false, output)
        let databases = try NamedDatabases.filed(paths, output)
        let lists = try databases.map { database throws(CommandFailure) in
            WaitingDumps(in: database).note(to: output)
            return DatabaseList(
                database: database,
                reports: try ListedReport.all(in: database, matching: .everything, output),
                images: try SymbolOptions.images(arguments, readAs: database.owner))
        }
        let groups = try ReportGroup.groups(
            of: lists, renewingPartial: !arguments.values(of: SymbolOptions.symbols).isEmpty,
            output)
        var tally = WeekTally(span)
        let reader = SourceReader(lists)
        for group in groups {
            for listed in group.reports { tally.add(reader.sighting(of: listed, in: group)) }
        }
        var remarks: [String] = []
        let unreadable = lists.reduce(0) { $0 + $1.reports.count { $0.facts == nil } }
        if unreadable > 0 {
            remarks.append(
                "\(counted(unreadable, "report")) could not be read, and "
                    + "\(unreadable == 1 ? "is" : "are") counted nowhere.")
        }
        let silent = paths.count - databases.count
        // Of a single one it was said already.
        if silent > 0, paths.count > 1 {
            remarks.append(
                "Of \(paths.count) databases, \(silent) \(silent == 1 ? "has" : "have") no report or "
                    + "cannot be opened.")
        }
        let hours = try LocalHours(lists, groups, from: span).running(in: span)
        return CountedWeek(
            week: tally.week(hours: hours), source: source(paths), remarks: remarks)
    }

    private static func source(_ paths: [String]) -> String {
        paths.count == 1 ? "the database \(paths[0])" : "\(paths.count) databases of this machine"
    }
}

/// Reads from minidumps what lists do not need: the machine and the version.
private struct SourceReader {
    private let databases: [String: ReportDatabase]

    init(_ lists: [DatabaseList]) {
        databases = Dictionary(
            lists.map { ($0.database.path, $0.database) }, uniquingKeysWith: { first, _ in first })
    }

    func sighting(of listed: ListedReport, in group: ReportGroup) -> Sighting {
        let said = snapshot(of: listed)
        return Sighting(
            id: listed.report.uuid, time: listed.time, arrived: listed.report.creationTime,
            host: said?.hostName ?? "",
            program: group.programName, version: said?.programVersion ?? "",
            kind: listed.facts?.kind?.word ?? "", signature: group.signature?.text ?? "",
            signatureID: group.signature?.identifier ?? "")
    }

    private func snapshot(of listed: ListedReport) -> ProcessSnapshot? {
        guard let database = databases[listed.databasePath],
            let file = try? database.openMinidump(of: listed.report.uuid)
        else { return nil }
        return try? ReportFacts.outline(
            of: file, at: listed.report.path, MinidumpReader.readAnnotations)
    }
}

extension ReportGroup {
    var programName: String { Self.programName(program) }

    static func programName(_ path: String?) -> String {
        path?.withoutDeletedMark.lastPathComponent ?? ""
    }
}
