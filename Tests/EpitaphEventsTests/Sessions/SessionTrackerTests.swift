// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Synchronization
import Testing

@testable import EpitaphEvents

@Suite struct SessionTrackerTests {
    @Test("A session has an id that the context carries, and numbers in its launch and its day")
    func numbers() throws {
        let lab = try SessionLab()
        let tracker = try lab.tracker()
        for number in 1...3 {
            tracker.noteActivity()
            #expect(lab.context.snapshot.sessionID == tracker.current?.id)
            #expect(tracker.current?.numberInRun == number)
            _ = tracker.step()
            tracker.endSession()
            #expect(lab.context.snapshot.sessionID == nil)
            _ = tracker.step()
        }
        tracker.finish()
        let second = try lab.tracker()
        second.noteActivity()
        _ = second.step()
        #expect(lab.events.started.map(\.numberInRun) == [1, 2, 3, 1])
        #expect(lab.events.started.map(\.numberInDay) == [1, 2, 3, 4])
        #expect(lab.events.ended.map(\.outcome) == [.completed, .completed, .completed])
        lab.clock.advance(bySeconds: 86_400)
        second.noteActivity()
        _ = second.step()
        #expect(lab.events.started.last?.numberInRun == 2)
        #expect(lab.events.started.last?.numberInDay == 1)
    }

    @Test("A session that nobody ends is over after its timeout")
    func timeout() throws {
        let lab = try SessionLab()
        let tracker = try lab.tracker()
        tracker.noteActivity()
        #expect(tracker.step() == 10)
        lab.clock.advance(bySeconds: 25)
        #expect(tracker.step() == 5)
        lab.clock.advance(bySeconds: 5)
        #expect(tracker.step() == 3_600)
        #expect(tracker.current == nil)
        #expect(lab.events.ended.map(\.durationSeconds) == [0])
        #expect(try lab.statistics().programs.map(\.errorFree.sessions) == [1])
    }

    @Test(
        "The next launch knows how the session ended that the last one left",
        arguments: [
            (.crashed, .crashed), (.interrupted, .interrupted), (.completed, .completed),
            (.unknown, .unknown),
        ] as [(LaunchEnding, SessionEndDetails.Outcome)])
    func earlierLaunch(ending: LaunchEnding, outcome: SessionEndDetails.Outcome) throws {
        let lab = try SessionLab()
        let left = try lab.leave()
        lab.endings = FixedEndings(ending: ending)
        let before = try lab.statistics()
        let tracker = try lab.tracker()
        _ = tracker.step()
        #expect(
            lab.events.ended == [
                SessionEndDetails(
                    sessionID: try #require(left.session?.id), outcome: outcome,
                    durationSeconds: 3_600, handledErrors: 2)
            ])
        #expect(!lab.names.contains { $0.contains(left.launchID.description) })
        // Recorded or not, the figures are the same.
        #expect(try lab.statistics() == before)
        #expect(before.programs[0].errorFree.hours == 1)
    }

    @Test("A launch whose end nobody has looked at waits for the next one, a week at most")
    func waiting() throws {
        let lab = try SessionLab()
        let left = try lab.leave()
        lab.endings = FixedEndings(ending: nil)
        _ = try lab.tracker().step()
        #expect(lab.events.ended.isEmpty)
        #expect(lab.names.contains { $0.contains(left.launchID.description) })
        lab.clock.advance(bySeconds: 7 * 86_400 + 1)
        _ = try lab.tracker().step()
        #expect(lab.events.ended.map(\.outcome) == [.unknown])
    }

    @Test("A launch whose end becomes known while this one runs is recorded then, and told anew")
    func knownLater() throws {
        let lab = try SessionLab()
        let left = try lab.leave()
        let endings = LaterEndings()
        lab.endings = endings
        let tracker = try lab.tracker()
        _ = tracker.step()
        let first = lab.events.errorFree
        #expect(lab.events.ended.isEmpty)
        endings.ending.withLock { $0 = .crashed }
        _ = tracker.step()
        #expect(lab.events.ended.isEmpty)
        tracker.lookAtEarlierLaunches()
        _ = tracker.step()
        #expect(lab.events.ended.map(\.sessionID) == [left.session?.id])
        #expect(lab.events.ended.map(\.outcome) == [.crashed])
        #expect(lab.events.errorFree.count == first.count + 1)
        #expect(lab.events.errorFree.last?.crashedSessions == 1)
        // Once.
        tracker.lookAtEarlierLaunches()
        _ = tracker.step()
        #expect(lab.events.ended.count == 1 && lab.events.errorFree.count == first.count + 1)
    }

    private final class LaterEndings: LaunchEndings {
        let ending = Mutex<LaunchEnding?>(nil)

        func ending(of process: ProcessIdentity, bundleID: String) -> LaunchEnding? {
            ending.withLock { $0 }
        }
    }

    @Test("A launch that runs is left alone")
    func running() throws {
        let lab = try SessionLab()
        let first = try lab.tracker()
        first.noteActivity()
        _ = first.step()
        lab.endings = FixedEndings(ending: .crashed)
        _ = try lab.tracker().step()
        #expect(lab.events.ended.isEmpty)
        #expect(try lab.statistics().programs.map(\.runningSessions) == [1])
    }

    @Test("A crash in a moment without a session is counted for itself")
    func withoutSession() throws {
        let lab = try SessionLab()
        _ = try lab.leave(session: false)
        lab.endings = FixedEndings(ending: .crashed)
        _ = try lab.tracker().step()
        let program = try #require(lab.statistics().programs.first)
        #expect(program.crashesWithoutSession == 1)
        #expect(program.errorFree.sessions == 0)
        #expect(program.errorFree.crashFreeSessions == nil)
        #expect(lab.events.ended.isEmpty)
    }

    @Test("Without a word on how launches ended, a session that was left is unknown, not crashed")
    func noEndings() throws {
        let lab = try SessionLab()
        _ = try lab.leave()
        _ = try lab.tracker().step()
        let program = try #require(lab.statistics().programs.first)
        #expect(program.errorFree.unknownSessions == 1)
        #expect(program.errorFree.crashedSessions == 0)
        #expect(program.errorFree.crashFreeSessions == nil)
    }

    @Test("What the last days came to is an event, at the start and once a day")
    func errorFree() throws {
        let lab = try SessionLab()
        _ = try lab.leave()
        lab.endings = FixedEndings(ending: .crashed)
        let tracker = try lab.tracker()
        for _ in 1...3 { _ = tracker.step() }
        #expect(lab.events.errorFree.map(\.crashedSessions) == [1])
        #expect(lab.events.errorFree.map(\.crashFreeSessions) == [0])
        lab.clock.advance(bySeconds: 86_400)
        tracker.noteActivity()
        tracker.endSession()
        _ = tracker.step()
        #expect(lab.events.errorFree.map(\.sessions) == [1, 2])
        let silent = try lab.tracker { $0.statisticsDays = 0 }
        _ = silent.step()
        #expect(lab.events.errorFree.count == 2)
    }

    @Test("Another program's launches are its own business")
    func otherProgram() throws {
        let lab = try SessionLab()
        _ = try lab.leave(bundleID: "other")
        lab.endings = FixedEndings(ending: .crashed)
        _ = try lab.tracker().step()
        #expect(lab.events.ended.isEmpty)
        #expect(lab.names.contains { $0.hasPrefix("other@") })
        #expect(try lab.statistics().programs.map(\.bundleID) == ["exampled", "other"].suffix(1))
    }

    @Test("Where nothing can be written, sessions go on and what is wrong is said")
    func noDirectory() throws {
        let lab = try SessionLab()
        try lab.directory.write([], to: "sessions")
        let tracker = try lab.tracker()
        tracker.noteActivity()
        _ = tracker.step()
        #expect(lab.events.started.count == 1)
        #expect(tracker.problem?.contains(lab.directory.path) == true)
        try FileManager.default.removeItem(atPath: lab.directory.path("sessions"))
        tracker.endSession()
        _ = tracker.step()
        #expect(tracker.problem == nil)
        #expect(try lab.statistics().programs.map(\.errorFree.sessions) == [1])
    }

    @Test("With its thread: the session is on the disk by itself, and a stop leaves none")
    func thread() throws {
        let lab = try SessionLab()
        let tracker = try SessionTracker(
            inDatabase: lab.directory.path, bundleID: "exampled", context: lab.context,
            recorder: lab.events)
        try tracker.start()
        try tracker.start()
        #expect(eventually { lab.names.contains { $0.hasSuffix(".running") } })
        tracker.setUser(.init(id: "ludwig"))
        #expect(eventually { lab.events.started.count == 2 })
        #expect(lab.context.snapshot.user?.id == "ludwig")
        #expect(tracker.stop(within: .seconds(60)))
        #expect(!lab.names.contains { $0.hasSuffix(".running") })
        #expect(lab.events.ended.count == 2)
        let text = try lab.names.map {
            String(decoding: try lab.directory.contents("sessions/" + $0), as: UTF8.self)
        }.joined()
        // No word that could be part of an id in hexadecimal digits.
        #expect(!text.contains("ludwig"))
        tracker.noteActivity()
        #expect(tracker.current == nil)
    }

    @Test("In a forked child the parent's session is none, and its end is not the child's to tell")
    func forked() throws {
        let lab = try SessionLab()
        let tracker = try SessionTracker(
            inDatabase: lab.directory.path, bundleID: "exampled", context: lab.context,
            recorder: lab.events)
        try tracker.start()
        #expect(eventually { lab.names.contains { $0.hasSuffix(".running") } })
        let user = Context.User(id: "child")
        let processID = try ForkedChild.run {
            tracker.noteActivity()
            tracker.setUser(user)
            let isStopped = tracker.stop(within: .seconds(600))
            return tracker.current == nil && !isStopped ? 0 : 1
        }
        #expect(Subprocess.wait(for: processID, deadlineSeconds: 20) == .exited(0))
        #expect(tracker.current != nil)
        #expect(lab.names.contains { $0.hasSuffix(".running") })
        #expect(tracker.stop(within: .seconds(60)))
        #expect(lab.events.ended.count == 1)
    }
}
