// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphEvents
import EpitaphSystem
import EpitaphValues

/// How long the programs of a database ran, as rows of `host_hours` of docs/fleet.md. Rows are by
/// whole hour, as pages are; a later run replaces the row of the present hour.
struct HourRows {
    static let rows = OptionDescription(
        "rows", "print rows of running hours for the table host_hours, as JSON")
    static let host = OptionDescription(
        "host", value: "NAME", "with --rows: this machine; default: its host name")
    static let program = OptionDescription(
        "program", value: "NAME", kind: .text,
        "with --rows: the program, if the database has sessions of one")

    private let directory: Directory
    private let database: ReportDatabase?
    private let path: String
    private let arguments: ParsedArguments
    private let output: Output

    init(
        _ directory: Directory, _ database: ReportDatabase?, _ path: String,
        _ arguments: ParsedArguments, _ output: Output
    ) {
        self.directory = directory
        self.database = database
        self.path = path
        self.arguments = arguments
        self.output = output
    }

    func print(days: Int) throws(CommandFailure) {
        let now = SystemWallClock().now()
        let today = (now.secondsSince1970 / 86_400).rounded(.down)
        let first = Timestamp(secondsSince1970: max(today - Double(days - 1), 0) * 86_400)
        let problem = "cannot read the sessions of \(path): "
        let sessions = try orFail(saying: problem, SessionHours(inDatabase: directory, from: first))
        let host =
            if let name = arguments.value(of: Self.host) {
                name
            } else {
                try orFail(saying: problem, ProcFileSystem().hostName())
            }
        let name = try nameOfOnlyProgram(sessions.bundleIDs)
        for bundleID in sessions.bundleIDs.sorted() {
            let hours = sessions.byHour(of: bundleID, in: first..<max(now, first))
            for (hour, share) in hours.inKeyOrder {
                let row = JSONValue.object([
                    "time": .integer(Int64(hour) * 3_600), "host": .text(host),
                    "program": .text(name ?? bundleID), "hours": .number(share),
                ])
                output.print(String(decoding: (try? row.bytes()) ?? [], as: UTF8.self))
            }
        }
        if !sessions.isComplete {
            output.note("the hours lack sessions that were not kept or cannot be read")
        }
    }

    private func nameOfOnlyProgram(_ bundleIDs: Set<String>) throws(CommandFailure) -> String? {
        if let name = arguments.value(of: Self.program) {
            guard bundleIDs.count <= 1 else {
                throw CommandFailure(
                    usage: "--program cannot be used: the database has sessions of "
                        + bundleIDs.sorted().joined(separator: ", "), of: StatsCommand.description)
            }
            return name
        }
        guard bundleIDs.count == 1, let database else { return nil }
        let reports = try ListedReport.all(in: database, matching: .everything, output)
        return Set(reports.map { ReportGroup.programName($0.facts?.program) }).only
    }
}
