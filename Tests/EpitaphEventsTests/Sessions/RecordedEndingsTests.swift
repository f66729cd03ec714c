// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphEvents

/// Sessions and the database's own history of launches.
@Suite struct RecordedEndingsTests {
    private func launch(
        _ left: RunningLaunch, _ end: LaunchEnd, secondsLater: Double = 0
    ) -> RecordedLaunch {
        RecordedLaunch(
            id: Epitaph.ID(), process: left.process, start: left.time + secondsLater, end: end,
            lastSign: left.time + secondsLater)
    }

    @Test(
        "A session ended as the history says of its launch",
        arguments: [
            (.crashed(report: nil), .crashed), (.cleanly, .completed), (.exec, .completed),
            (.signalled(.sigterm), .interrupted), (.outOfMemory(isCertain: false), .interrupted),
            (.killed, .interrupted), (.shutdown, .interrupted), (.powerLoss, .interrupted),
            (.lostToReboot, .interrupted), (.ofReportedCrash, .unknown), (.unknown, .unknown),
        ] as [(LaunchEnd, SessionEndDetails.Outcome)])
    func outcomes(end: LaunchEnd, expected: SessionEndDetails.Outcome) throws {
        let lab = try SessionLab()
        let database = try ReportDatabase(opening: lab.directory.path, ifMissing: .create)
        let left = try lab.leave()
        lab.endings = RecordedEndings(database)
        // Nobody has looked yet.
        _ = try lab.tracker().step()
        #expect(lab.events.ended.isEmpty)
        try database.record([launch(left, end)], of: "exampled")
        try database.record([launch(left, .cleanly)], of: "other")
        _ = try lab.tracker().step()
        #expect(lab.events.ended.map(\.outcome) == [expected])
    }

    @Test("Of several launches of one process the newest counts")
    func severalLaunches() throws {
        let lab = try SessionLab()
        let database = try ReportDatabase(opening: lab.directory.path, ifMissing: .create)
        let left = try lab.leave()
        try database.record(
            [
                launch(left, .cleanly), launch(left, .crashed(report: nil), secondsLater: 60),
            ], of: "exampled")
        let endings = RecordedEndings(database)
        #expect(endings.ending(of: left.process, bundleID: "exampled") == .crashed)
        #expect(endings.ending(of: left.process, bundleID: "") == nil)
    }
}
