// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Synchronization

@testable import EpitaphEvents

/// A database's directory, a clock, and what is known of launches that ended.
final class SessionLab {
    let directory: TemporaryDirectory
    let clock = TestClock()
    let context = CurrentContext()
    let events = KeptEvents()
    var endings: (any LaunchEndings)?

    init() throws {
        directory = try TemporaryDirectory()
    }

    func tracker(
        bundleID: String = "exampled", launchID: Epitaph.ID = Epitaph.ID(),
        _ edit: (inout SessionOptions) -> Void = { _ in }
    ) throws -> SessionTracker {
        var options = SessionOptions()
        edit(&options)
        return try SessionTracker(
            inDatabase: directory.path, bundleID: bundleID, options: options, context: context,
            recorder: events, endings: endings, launchID: launchID, clock: clock)
    }

    func files() throws -> SessionFiles {
        try SessionFiles(makingIn: Directory(opening: directory.path))
    }

    /// Writes what a launch has left that runs no more.
    func leave(
        session: Bool = true, bundleID: String = "exampled", userKey: UInt64? = nil
    ) throws -> RunningLaunch {
        let own = ProcFileSystem().ownIdentity()
        // This process has another start: the number was another process's once.
        let dead = ProcessIdentity(
            processID: ProcFileSystem.ownProcessID, startTicks: 1,
            pidNamespace: own?.pidNamespace ?? 0, bootID: own?.bootID)
        var record: SessionRecord?
        if session {
            record = SessionRecord(
                Session(
                    id: Epitaph.ID(), numberInRun: 1, startTime: clock.now(),
                    duration: .seconds(3_600),
                    handledErrors: 2, userKey: userKey), .unknown)
        }
        let launch = RunningLaunch(
            launchID: Epitaph.ID(), process: dead, time: clock.now(), session: record)
        try files().write(launch, bundleID: bundleID)
        return launch
    }

    var names: [String] {
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: directory.path("sessions"))
        return (names ?? []).filter { $0 != "clock" }.sorted()
    }

    func statistics(days: Int = 30) throws -> SessionStatistics {
        try SessionStatistics(
            inDatabase: Directory(opening: directory.path), days: days, now: clock.now(),
            endings: endings)
    }
}

struct FixedEndings: LaunchEndings {
    let ending: LaunchEnding?

    func ending(of process: ProcessIdentity, bundleID: String) -> LaunchEnding? { ending }
}
