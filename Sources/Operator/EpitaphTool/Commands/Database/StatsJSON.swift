// SPDX-License-Identifier: Apache-2.0

import EpitaphEvents

/// What `stats --json` prints; docs/dump-convert.md lists the members. What there is nothing to
/// compute from is left out.
struct StatsJSON: PrintedJSON {
    let schema = "urn:epitaph:stats"
    let schemaVersion = 1
    let days: Int
    let isComplete: Bool
    let damagedLines: Int
    let programs: [Program]

    struct Program: Encodable {
        let program: String
        let sessions: [String: Int]
        let users: Int
        let crashedUsers: Int
        let hours: Double
        let crashFreeSessions: Double?
        let crashFreeUsers: Double?
        let hoursPerCrash: Double?
        let crashesWithoutSession: Int
        let handledErrors: Int
    }

    init(_ statistics: SessionStatistics) {
        days = statistics.days
        isComplete = statistics.isComplete
        damagedLines = statistics.damagedLines
        programs = statistics.programs.map { program in
            let details = program.errorFree
            return Program(
                program: program.bundleID,
                sessions: Dictionary(
                    uniqueKeysWithValues: program.outcomes.map { ($0.name, $0.count) }),
                users: details.users, crashedUsers: details.crashedUsers, hours: details.hours,
                crashFreeSessions: details.crashFreeSessions,
                crashFreeUsers: details.crashFreeUsers, hoursPerCrash: details.hoursPerCrash,
                crashesWithoutSession: program.crashesWithoutSession,
                handledErrors: program.handledErrors)
        }
    }
}
