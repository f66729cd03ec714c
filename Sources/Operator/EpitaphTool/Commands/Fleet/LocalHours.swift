// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphEvents
import EpitaphFleet
import EpitaphSystem
import EpitaphValues

/// How long the programs of databases ran, from their sessions. Sessions name a program by bundle
/// id, reports by file: only a database with one of each tells which is which.
struct LocalHours {
    private var sessions: [String: SessionHours] = [:]
    private var programs: [String: Set<String>] = [:]
    /// File names by bundle id; nil if two databases differ.
    private var names: [String: String?] = [:]

    init(
        _ lists: [DatabaseList], _ groups: [ReportGroup], from span: WeekSpan
    ) throws(CommandFailure) {
        for group in groups {
            for report in group.reports {
                programs[report.databasePath, default: []].insert(group.programName)
            }
        }
        for list in lists {
            let path = list.database.path
            sessions[path] = try orFail(
                saying: "cannot read the sessions of \(path): ",
                SessionHours(inDatabase: Directory(opening: path), from: span.before.lowerBound))
            guard let bundleID = sessions[path]?.bundleIDs.only, let name = programs[path]?.only
            else { continue }
            names[bundleID] = .some(names[bundleID, default: name] == name ? name : nil)
        }
    }

    /// By file name. Programs are missing whose database has reports but no whole sessions.
    func running(in span: WeekSpan) -> [String: FleetWeek.Running] {
        var found: [String: FleetWeek.Running] = [:]
        var unknown: Set<String> = []
        for (path, hours) in sessions {
            var told: Set<String> = []
            for bundleID in hours.bundleIDs {
                guard let name = names[bundleID] ?? nil else { continue }
                if hours.isComplete { told.insert(name) } else { unknown.insert(name) }
                let sum = found[name] ?? .init(now: 0, before: 0)
                found[name] = .init(
                    now: sum.now + hours.hours(of: bundleID, in: span.start..<span.end),
                    before: sum.before + hours.hours(of: bundleID, in: span.before))
            }
            unknown.formUnion((programs[path] ?? []).subtracting(told))
        }
        return found.filter { !unknown.contains($0.key) }
    }
}

extension Set {
    var only: Element? { count == 1 ? first : nil }
}
