// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// The example daemon at work, with a server that takes what it sends.
@Suite("A day without a crash")
struct DaemonWorkTests {
    private let lab: DaemonLab

    init() throws { lab = try DaemonLab() }

    @Test("What the daemon deals with is at the server: errors with their files, and every event")
    func work() throws {
        let first = try lab.start()
        let client = try LineClient(port: first.port)
        #expect(client.ask("set colour blue") == "set")
        let answer = client.ask("take apples 5")
        #expect(answer.hasPrefix("reported "))
        let file = "\(lab.database)/completed/\(answer.dropFirst("reported ".count)).dmp"
        #expect(eventually(withinSeconds: 60) { FileManager.default.fileExists(atPath: file) })
        #expect(client.ask("nonsense").hasPrefix("what? add NAME AMOUNT, "))
        #expect(client.ask("status").hasPrefix("recorded "))
        #expect(client.ask("test-crash abort").hasPrefix("test crashes are refused"))
        try lab.quit(first)

        let second = try lab.start(environment: ["EPITAPH_ALLOW_TEST_CRASHES": "yes"])
        #expect(second.greeting == "")
        let report = try #require(try lab.reports(1).first)
        #expect(report.kind == "handled-error")
        #expect(report.headline.contains("handled error: "), "\(report.headline)")
        #expect(report.headline.contains("there are not 5 apples"), "\(report.headline)")
        #expect(report.annotation("ledger")?["value"] as? String == "apples")
        #expect(!report.text.lowercased().contains("crashed"), "\(report.text)")
        let settings = lab.server.reports.compactMap { $0.files["settings.txt"] as? String }
        #expect(settings == ["settings: 1 keys\n  colour: text, 4 bytes\n"])
        lab.expectEvent("handledError", "message", "there are not 5 apples")
        lab.expectEvent("log", "message", "there are not 5 apples")
        lab.expectEvent("storageChanged", "item", "colour")
        for phase in ["loading", "serving", "draining"] {
            lab.expectEvent("navigation", "destination", phase)
        }
        lab.expectEvent("lifecycle", "phase", "ready")
        lab.expectEvent("lifecycle", "reason", "a client")
        lab.expectEvent("lifecycle", "lastEnd", "clean")
        lab.expectEvent("sessionEnded", "outcome", "completed")
        #expect(eventually(withinSeconds: 60) { !lab.server.events("metrics").isEmpty })
        // An operator may allow test crashes.
        #expect(try LineClient(port: second.port).ask("test-crash kill") == "")
        #expect(second.wait() == .signalled(SIGKILL))
    }

    @Test("Where the operator says no, nothing leaves the machine")
    func consent() throws {
        let first = try lab.start(environment: ["EPITAPH_UPLOADS": "no"])
        #expect(try LineClient(port: first.port).ask("crash null-write") == "")
        #expect(first.wait() == .signalled(SIGSEGV))
        let second = try lab.start(environment: ["EPITAPH_UPLOADS": "no"])
        #expect(second.greeting.hasPrefix("the last launch crashed: report "))
        try lab.quit(second)
        #expect(lab.server.requests.isEmpty)
        // It was all kept for the day on which somebody agrees.
        let third = try lab.start()
        #expect(try lab.reports(1).first?.kind == "crash")
        lab.expectEvent("lifecycle", "lastEnd", "crash")
        try lab.quit(third)
    }
}
