// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// For node_exporter's textfile collector: Prometheus, "Exposition formats", text 0.0.4.
    public struct PrometheusText: Sendable {
        public let text: String

        /// The statistics as gauges with the bundle id as a label, without unknown figures.
        public init(_ statistics: SessionStatistics) {
            var writer = PrometheusWriter()
            writer.family(
                Self.gauge("epitaph_statistics_seconds", "The time that the other figures are of."),
                [([], Double(statistics.days) * 86_400)])
            writer.family(
                Self.gauge(
                    "epitaph_statistics_complete", "Whether every session of these days is counted."
                ),
                [([], statistics.isComplete ? 1 : 0)])
            writer.family(
                Self.gauge("epitaph_sessions", "Sessions, by how they ended."),
                statistics.programs.flatMap { program in
                    program.outcomes.map { outcome, count in
                        (
                            [.init("bundle_id", program.bundleID), .init("outcome", outcome)],
                            Double(count)
                        )
                    }
                })
            for family in Self.families {
                writer.family(
                    Self.gauge(family.name, family.help),
                    statistics.programs.compactMap { program in
                        family.value(program).map { ([.init("bundle_id", program.bundleID)], $0) }
                    })
            }
            text = writer.text
        }

        private static func gauge(_ name: String, _ help: String) -> PrometheusFamily {
            PrometheusFamily(.gauge, name, help)
        }

        private struct Family {
            let name: String
            let help: String
            let value: @Sendable (SessionStatistics.Program) -> Double?
        }

        private static let families = [
            Family(name: "epitaph_users", help: "Users with a session whose end is known.") {
                Double($0.errorFree.users)
            },
            Family(name: "epitaph_crashed_users", help: "Users that had a crash.") {
                Double($0.errorFree.crashedUsers)
            },
            Family(name: "epitaph_session_seconds", help: "Seconds of all sessions.") {
                $0.errorFree.hours * 3_600
            },
            Family(
                name: "epitaph_crashes_without_session",
                help: "Crashes in moments without a session."
            ) { Double($0.crashesWithoutSession) },
            Family(name: "epitaph_handled_errors", help: "Errors that the program handled.") {
                Double($0.handledErrors)
            },
            Family(
                name: "epitaph_crash_free_sessions_ratio",
                help: "Share of the sessions whose end is known that no crash ended."
            ) { $0.errorFree.crashFreeSessions },
            Family(
                name: "epitaph_crash_free_users_ratio", help: "Share of users that had no crash."
            ) { $0.errorFree.crashFreeUsers },
            Family(
                name: "epitaph_seconds_per_crash",
                help: "Seconds of sessions for each crash in one."
            ) { $0.errorFree.hoursPerCrash.map { $0 * 3_600 } },
        ]
    }
}

extension SessionStatistics.Program {
    /// Sessions by outcome, in the order of the event schema; running ones last.
    public var outcomes: [(name: String, count: Int)] {
        let completed = errorFree.sessions - errorFree.crashedSessions - interruptedSessions
        return [
            ("completed", completed), ("crashed", errorFree.crashedSessions),
            ("interrupted", interruptedSessions), ("unknown", errorFree.unknownSessions),
            ("running", runningSessions),
        ]
    }
}
