// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphService

enum NamedDatabases {
    /// The named ones, or if none is named those that this machine's service watches.
    static func orWatched(_ arguments: ParsedArguments, _ output: Output) -> [String] {
        let named = paths(arguments)
        return named.isEmpty ? watched(output) : named
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

    /// The databases with filed reports; prints a note about each other one, and goes on.
    ///
    /// - Throws: if none can be opened.
    static func filed(
        _ paths: [String], _ output: Output
    ) throws(CommandFailure) -> [ReportDatabase] {
        var databases: [ReportDatabase] = []
        for path in paths {
            do {
                let directory = try ReportDatabase.checkedDirectory(path)
                if let database = try ReportDatabase.ifFiled(in: directory) {
                    database.noteRepairs(to: output)
                    databases.append(database)
                } else {
                    output.note(
                        "there is no report in \(path) yet; "
                            + "\(WaitingDumps(in: directory).sentence)")
                }
            } catch {
                guard paths.count > 1 else { throw error }
                output.complain(error.sentence, status: error.status)
            }
        }
        return databases
    }
}
