// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphService

enum NamedDatabases {
    /// The named ones, or if none is named those that this machine's service watches.
    static func orWatched(_ arguments: ParsedArguments, _ output: Output) -> [String] {
        let named = paths(arguments)
        return named.isEmpty ? watched(output) : named
    }

    /// The same for a command that keeps nothing apart: not empty, and one where only one will do.
    static func orWatched(
        _ arguments: ParsedArguments, of description: CommandDescription, isOne: Bool,
        _ output: Output
    ) throws(CommandFailure) -> [String] {
        let paths = orWatched(arguments, output)
        guard !paths.isEmpty else {
            throw CommandFailure(
                usage:
                    "the service has no database here: name one with --database or "
                    + "EPITAPH_DATABASE",
                of: description)
        }
        guard isOne, paths.count > 1 else { return paths }
        throw CommandFailure(
            usage: "name one of the service's databases with --database: "
                + paths.joined(separator: ", "),
            of: description)
    }

    /// The databases of the service's configuration, or of the usual place, without secrets.
    static func watched(_ output: Output) -> [String] {
        let configuration = ServiceConfiguration(
            readingFrom: ServiceConfiguration.usualPath, isNamed: false)
        configuration.problems.filter { !$0.isWarning }.forEach { output.complain("\($0)") }
        let found = configuration.databases()
        found.problems.forEach { output.complain($0) }
        // A pattern may match anything, such as the directory of core-pipe's databases.
        return found.paths.filter {
            configuration.names($0) || ReportDatabase.isDatabase(at: $0) != false
        }
    }

    static func paths(_ arguments: ParsedArguments) -> [String] {
        let given = arguments.values(of: .databases)
        var seen: Set<String> = []
        let paths = given.isEmpty ? [arguments.value(of: .databases)].compactMap(\.self) : given
        return paths.filter { seen.insert($0).inserted }
    }

    /// Goes through all of them, though one fails.
    static func each(
        of paths: [String], _ output: Output, _ body: (String) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        for path in paths {
            do throws(CommandFailure) {
                try body(path)
            } catch {
                guard paths.count > 1 else { throw error }
                output.complain(error.sentence, status: error.status)
            }
        }
    }

    /// The databases with filed reports; prints a note about each other one, and goes on.
    ///
    /// - Throws: if none can be opened.
    static func filed(
        _ paths: [String], _ output: Output
    ) throws(CommandFailure) -> [ReportDatabase] {
        var databases: [ReportDatabase] = []
        try each(of: paths, output) { path throws(CommandFailure) in
            let directory = try ReportDatabase.checkedDirectory(path)
            if let database = try ReportDatabase.ifFiled(in: directory) {
                database.noteRepairs(to: output)
                databases.append(database)
            } else {
                output.note(
                    "there is no report in \(path) yet; \(WaitingDumps(in: directory).sentence)")
            }
        }
        return databases
    }
}
