// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphEvents

@Suite struct StatisticsTests {
    private func history(
        _ records: [(SessionRecord.Outcome, user: UInt64?, hours: Double)]
    ) -> SessionHistory {
        var history = SessionHistory()
        for (outcome, user, hours) in records {
            let session = Session(
                id: Epitaph.ID(), numberInRun: 1,
                startTime: Timestamp(secondsSince1970: 1_800_000_000),
                duration: .seconds(hours * 3_600), handledErrors: 1, userKey: user)
            history.add(SessionRecord(session, outcome), bundleID: "exampled")
        }
        return history
    }

    @Test("Shares are of what is known; what is unknown is told and counts in none")
    func shares() throws {
        let statistics = SessionStatistics(
            history([
                (.completed, 1, 1), (.completed, 1, 2), (.crashed, 2, 3), (.interrupted, nil, 4),
                (.unknown, 3, 5),
            ]), running: [:], days: 7)
        let program = try #require(statistics.programs.first)
        let details = program.errorFree
        #expect(details.sessions == 4)
        #expect(details.crashedSessions == 1)
        #expect(details.unknownSessions == 1)
        #expect(details.users == 3)
        #expect(details.crashedUsers == 1)
        #expect(details.hours == 15)
        #expect(details.crashFreeSessions == 0.75)
        #expect(abs((details.crashFreeUsers ?? 0) - 2.0 / 3) < 1e-12)
        #expect(details.hoursPerCrash == 15)
        #expect(program.interruptedSessions == 1)
        #expect(program.handledErrors == 5)
        #expect(program.outcomes.map(\.count) == [2, 1, 1, 1, 0])
    }

    @Test("A database without sessions has none, and nothing is made in it")
    func none() throws {
        let lab = try SessionLab()
        let statistics = try lab.statistics()
        #expect(statistics.programs.isEmpty)
        #expect(statistics.isComplete)
        #expect(!FileManager.default.fileExists(atPath: lab.directory.path("sessions")))
    }

    @Test("Days before the first one do not count")
    func days() throws {
        let lab = try SessionLab()
        let tracker = try lab.tracker()
        tracker.noteActivity()
        tracker.endSession()
        _ = tracker.step()
        lab.clock.advance(bySeconds: 3 * 86_400)
        #expect(try lab.statistics(days: 3).programs.isEmpty)
        #expect(try lab.statistics(days: 4).programs.count == 1)
        #expect(try lab.statistics(days: 0).days == 1)
    }

    @Test("The file for Prometheus has a family once, gauges, and no figure that is not known")
    func prometheus() {
        let text = PrometheusText(
            SessionStatistics(
                history([(.completed, 1, 0.5)]), running: [:], days: 30)
        ).text
        #expect(text.contains("epitaph_sessions{bundle_id=\"exampled\",outcome=\"completed\"} 1\n"))
        #expect(text.contains("epitaph_session_seconds{bundle_id=\"exampled\"} 1800\n"))
        #expect(text.contains("epitaph_crash_free_sessions_ratio{bundle_id=\"exampled\"} 1\n"))
        #expect(!text.contains("seconds_per_crash"))
        let types = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE") }
        #expect(Set(types).count == types.count)
        #expect(text.hasSuffix("\n"))
    }

    @Test(
        "Prometheus' own tool accepts the file",
        .enabled(if: promtool != nil, "promtool of Debian's prometheus is not here"))
    func promtoolAccepts() throws {
        let lab = try SessionLab()
        let text = PrometheusText(
            SessionStatistics(
                history([(.completed, 1, 0.5), (.crashed, 2, 1)]), running: [:], days: 30)
        ).text
        let path = try lab.directory.write(Array(text.utf8), to: "epitaph.prom")
        let tool = try #require(Self.promtool)
        let result = try Subprocess.run(["sh", "-c", "\(tool) check metrics < \(path)"])
        #expect(result.ending == .exited(0), "\(result.standardError)\(result.standardOutput)")
        #expect(result.standardError + result.standardOutput == "")
    }

    private static let promtool = Toolchain.executable("promtool")
}
