// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Testing

@testable import EpitaphService

@Suite("What the manager of services hears")
struct ServiceNotificationTests {
    @Test("Each state is said in the manager's words, also under an abstract name")
    func states() throws {
        for address in [nil, "@epitaph-notify-\(UInt64.random(in: 0 ... .max))"] {
            let collector = try DatagramCollector(at: address)
            let notification = ServiceNotification(
                environment: ["NOTIFY_SOCKET": collector.address], processID: 1)
            notification.ready("two\nlines")
            notification.reloading(monotonicMicroseconds: 17)
            notification.alive()
            notification.stopping()
            #expect(try eventually { try collector.messages().count == 4 })
            #expect(
                try collector.messages().map(\.text) == [
                    "READY=1\nSTATUS=two lines", "RELOADING=1\nMONOTONIC_USEC=17", "WATCHDOG=1",
                    "STOPPING=1",
                ])
        }
    }

    @Test("Without a manager, or with one that is gone, nothing happens")
    func noManager() {
        ServiceNotification(environment: [:], processID: 1).ready("x")
        ServiceNotification(environment: ["NOTIFY_SOCKET": "/nonexistent"], processID: 1)
            .ready("x")
    }

    @Test(
        "The watchdog's time counts where it is meant for this process",
        arguments: [
            (["WATCHDOG_USEC": "3000000"], 3.0),
            (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "7"], 3.0),
            (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "8"], nil),
            (["WATCHDOG_USEC": "0"], nil), (["WATCHDOG_USEC": "soon"], nil), ([:], nil),
        ])
    func watchdog(environment: [String: String], seconds: Double?) {
        let notification = ServiceNotification(
            environment: environment.merging(["NOTIFY_SOCKET": "/run/notify"]) { $1 },
            processID: 7)
        #expect(notification.watchdogSeconds == seconds)
    }
}
