// SPDX-License-Identifier: Apache-2.0

/// Statistics for node_exporter's textfile collector: Prometheus, "Exposition formats", text format
/// 0.0.4.
public struct PrometheusText: Sendable {
    /// The whole file.
    public let text: String

    /// The statistics as gauges, each with the program as a label. A figure that is not known is
    /// left out.
    public init(_ statistics: SessionStatistics) {
        var writer = Writer()
        writer.family("epitaph_statistics_days", "Days that the other figures are of.")
        writer.sample("epitaph_statistics_days", "", Double(statistics.days))
        writer.family(
            "epitaph_statistics_complete", "Whether every session of these days is counted.")
        writer.sample("epitaph_statistics_complete", "", statistics.isComplete ? 1 : 0)
        writer.family("epitaph_sessions", "Sessions, by how they ended.")
        for program in statistics.programs {
            let label = "program=\"\(Self.escaped(program.bundleID))\""
            for (outcome, count) in program.outcomes {
                writer.sample(
                    "epitaph_sessions", "\(label),outcome=\"\(outcome)\"", Double(count))
            }
        }
        for family in Self.families {
            let samples = statistics.programs.compactMap { program in
                family.value(program).map { (program.bundleID, $0) }
            }
            guard !samples.isEmpty else { continue }
            writer.family(family.name, family.help)
            for (bundleID, value) in samples {
                writer.sample(family.name, "program=\"\(Self.escaped(bundleID))\"", value)
            }
        }
        text = writer.text
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
            name: "epitaph_seconds_per_crash", help: "Seconds of sessions for each crash in one."
        ) { $0.errorFree.hoursPerCrash.map { $0 * 3_600 } },
    ]

    /// In a label's value `\`, `"` and line feed are escaped.
    static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("\n", with: "\\n")
    }

    private struct Writer {
        var text = ""

        mutating func family(_ name: String, _ help: String) {
            text += "# HELP \(name) \(help)\n# TYPE \(name) gauge\n"
        }

        mutating func sample(_ name: String, _ labels: String, _ value: Double) {
            let whole = Int64(exactly: value).map { "\($0)" } ?? "\(value)"
            text += name + (labels.isEmpty ? "" : "{\(labels)}") + " \(whole)\n"
        }
    }
}

extension SessionStatistics.Program {
    /// How many sessions ended how, in the order of the schema of events; those that run last.
    public var outcomes: [(name: String, count: Int)] {
        let completed = errorFree.sessions - errorFree.crashedSessions - interruptedSessions
        return [
            ("completed", completed), ("crashed", errorFree.crashedSessions),
            ("interrupted", interruptedSessions), ("unknown", errorFree.unknownSessions),
            ("running", runningSessions),
        ]
    }
}
