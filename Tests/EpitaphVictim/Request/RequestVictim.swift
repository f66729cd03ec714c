// SPDX-License-Identifier: Apache-2.0
//
// EpitaphVictim request URL SCENARIO: makes requests to the server of web.py twice, in a session as
// FoundationNetworking makes it and in a monitored one. Prints what the program saw, as `plain: …`
// and `monitored: …`, and each event of a request as JSON behind `event: `. The scenarios are those
// of Scenario.

import EpitaphEvents
import EpitaphRequestMonitoring
import EpitaphSystem
import Foundation
import FoundationNetworking
import Synchronization

enum RequestVictim {
    @MainActor static func run(_ arguments: [String]) async throws {
        let server = arguments[1]
        guard let scenario = Scenario(rawValue: arguments[2]),
            let url = URL(string: server)
        else { exit(2) }
        print("plain:", await scenario.run(Web(server: url, configuration: .ephemeral)))
        let events = KeptEvents()
        let configuration = URLSessionConfiguration.ephemeral
        guard configuration.monitorRequests(with: try events.monitor()) else { exit(3) }
        print("monitored:", await scenario.run(Web(server: url, configuration: configuration)))
        // Nothing but the end of a request ends its event, and requests are released a little later.
        await events.waitUntilQuiet()
        for event in events.requests {
            print("event:", String(decoding: try JSONEncoder().encode(event), as: UTF8.self))
        }
    }
}

/// Keeps the events of requests.
final class KeptEvents: EventRecorder {
    private let kept = Mutex<[NetworkRequestDetails]>([])

    var requests: [NetworkRequestDetails] { kept.withLock { $0 } }

    func record(_ payload: EventPayload) -> Bool {
        guard case .networkRequest(let details) = payload else { return false }
        kept.withLock { $0.append(details) }
        return true
    }

    /// A monitor that reports all there is to report.
    func monitor() throws -> RequestMonitor {
        var options = RequestMonitorOptions()
        options.headers = ["authorization", "set-cookie", "x-kind", "x-own"]
        options.bodyLimitBytes = 8
        options.eventsPerSecond = 1_000
        return RequestMonitor(
            recorder: self, options: options,
            clock: SystemStoppableClock(stopSignal: try StopSignal()))
    }

    /// Waits until no event has come for a while.
    func waitUntilQuiet() async {
        var count = -1
        while count != requests.count {
            count = requests.count
            try? await Task.sleep(for: .milliseconds(300))
        }
    }
}
