// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Synchronization
import Testing

@testable import EpitaphEvents

@Suite struct NavigationTests {
    private struct Trouble: Error {}

    private final class Listener: NavigationListener {
        let steps = Mutex<[String]>([])

        func didNavigate(_ step: NavigationDetails) throws {
            steps.withLock { $0.append(step.destination) }
        }
    }

    @Test(
        "A step has where it came from and how long the program was there; phases and routes apart")
    func steps() {
        let (events, clock) = (KeptEvents(), TestClock())
        let tracker = NavigationTracker(recorder: events, clock: clock)
        #expect(tracker.phase == nil)
        tracker.enter(phase: "loading")
        clock.advance(bySeconds: 2)
        tracker.enter(route: "GET /")
        tracker.enter(phase: "serving")
        tracker.enter(phase: "serving")
        #expect(tracker.phase == "serving")
        #expect(tracker.route == "GET /")
        #expect(
            events.steps == [
                NavigationDetails(kind: .phase, destination: "loading"),
                NavigationDetails(kind: .route, destination: "GET /"),
                NavigationDetails(
                    kind: .phase, destination: "serving", origin: "loading", secondsAtOrigin: 2),
            ])
    }

    @Test("A step has what its place was entered with; other arguments are another step")
    func arguments() {
        let events = KeptEvents()
        let tracker = NavigationTracker(recorder: events, clock: TestClock())
        for id: Int64 in [7, 7, 8] {
            tracker.enter(
                route: "GET /ledger/{id}", arguments: ["id": .integer(id), "token": .text("t")])
        }
        #expect(
            events.steps.map(\.arguments) == [
                ["id": .integer(7), "token": .text("[hidden]")],
                ["id": .integer(8), "token": .text("[hidden]")],
            ])
        #expect(events.steps.map(\.byteCount).allSatisfy { $0 > "GET /ledger/{id}".utf8.count })
    }

    @Test("A listener that throws or navigates itself does not stop the others")
    func listeners() {
        let tracker = NavigationTracker(recorder: KeptEvents(), clock: TestClock())
        let listener = Listener()
        let throwing = tracker.addListener { _ in throw Trouble() }
        tracker.addListener { [weak tracker] step in
            if step.destination == "a" { tracker?.enter(phase: "from a listener") }
        }
        let subscription = tracker.addListener(listener)
        tracker.enter(phase: "a")
        #expect(
            eventually { listener.steps.withLock { $0 } == ["a", "from a listener"] })
        #expect(eventually { throwing.failureCount == 2 })
        subscription.cancel()
        tracker.enter(phase: "b")
        #expect(eventually { throwing.failureCount == 3 })
        #expect(listener.steps.withLock { $0.count } == 2)
    }

    @Test("A name of a megabyte is cut")
    func long() {
        let events = KeptEvents()
        let tracker = NavigationTracker(recorder: events, clock: TestClock())
        tracker.enter(route: String(repeating: "x", count: 1 << 20))
        #expect(events.steps[0].destination.utf8.count == NavigationTracker.nameLimitBytes)
    }
}
