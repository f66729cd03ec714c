// SPDX-License-Identifier: Apache-2.0

import Epitaph
import EpitaphTestSupport
import Foundation
import Testing

/// Reports that are made while the program runs, in the test process itself. Passes are ten minutes
/// apart, longer than any test waits.
@Suite(.serialized, .startsEpitaphHere) final class PromptUploadTests {
    private let here: StartedHere

    init() throws { here = try StartedHere() }

    deinit {
        Epitaph.stop()
    }

    private func start(
        _ server: IntakeServer, isAllowed: Bool,
        confirmation: Epitaph.UploadConfirmation? = nil
    ) {
        let passes = Log()
        var configuration = here.configuration
        configuration.destination = server.reportsURL
        configuration.uploadsEnabled = isAllowed
        configuration.uploads.confirmation = confirmation
        configuration.uploads.limits.retryBehaviour = .none
        configuration.parts.handledErrors = Epitaph.HandledErrorOptions()
        configuration.onUploads = { passes.add("\($0)") }
        #expect(Epitaph.start(configuration) == .running)
        // The thread waits for the next pass now.
        #expect(eventually { passes.lines.count == 1 })
    }

    @Test("A handled error is at the server at once")
    func handledError() throws {
        let server = try IntakeServer()
        start(server, isAllowed: true)
        let id = try #require(Epitaph.report(message: "slow answer"))
        #expect(eventually { here.has(id.description, "completed") })
        #expect(server.reports.count == 1 && server.complaints == "")
    }

    @Test("The caller can wait until the server has it, and learns the server's id")
    func delivered() async throws {
        let server = try IntakeServer()
        start(server, isAllowed: true)
        let errors = try #require(Epitaph.errors)
        guard case .filed(let id, _) = try await errors.send(message: "slow answer") else {
            Issue.record("not filed")
            return
        }
        #expect(try await Epitaph.delivery(of: id) == .sent(serverID: "intake-1"))
        #expect(server.reports.count == 1)
        // What is not filed yet, and what was sent before, can be waited for too.
        let other = try #require(Epitaph.report(message: "another answer"))
        #expect(try await Epitaph.delivery(of: other) == .sent(serverID: "intake-2"))
        let earlier = try await Epitaph.delivery(of: id, within: .zero)
        #expect(earlier == .sent(serverID: "intake-1"))
    }

    @Test("And learns why the server does not have it")
    func notDelivered() async throws {
        let server = try IntakeServer(["500"])
        start(server, isAllowed: false)
        let id = try await Epitaph.reportLiveDump()
        let reason = "uploads are disabled and this report was not requested"
        #expect(try await Epitaph.delivery(of: id) == .notSent(reason: reason))
        try await Epitaph.requestUpload(of: id)
        guard case .failed(.refused(let answer)) = try await Epitaph.delivery(of: id) else {
            Issue.record("the server refused it")
            return
        }
        #expect(answer.status == 500)
        #expect(try await Epitaph.delivery(of: Epitaph.ID(), within: .zero) == .waiting)
    }

    @Test("So is a live dump")
    func liveDump() throws {
        let server = try IntakeServer()
        start(server, isAllowed: true)
        let id = try Epitaph.reportLiveDump()
        #expect(eventually { here.has(id.description, "completed") })
        #expect(server.reports.count == 1)
    }

    @Test("So is what waited for consent, when it is given")
    func consent() throws {
        let server = try IntakeServer()
        start(server, isAllowed: false)
        let id = try Epitaph.reportLiveDump()
        #expect(here.has(id.description, "pending") && server.requests.isEmpty)
        try Epitaph.setUploadsEnabled(true)
        #expect(eventually { here.has(id.description, "completed") })
        #expect(server.reports.count == 1)
    }

    @Test("A user who is asked about all that waits may answer later: yes to one, no to another")
    func answeredLater() throws {
        let server = try IntakeServer()
        let asked = Log()
        start(server, isAllowed: false) { reports in
            asked.add("\(reports.count)")
            return .later
        }
        let (first, second) = (try Epitaph.reportLiveDump(), try Epitaph.reportLiveDump())
        #expect(eventually { asked.lines.last == "2" })
        try Epitaph.notify(with: .send, for: [first])
        #expect(eventually { here.has(first.description, "completed") })
        try Epitaph.notify(with: .dontSend, for: [second])
        #expect(
            !here.has(second.description, "pending") && !here.has(second.description, "completed"))
        #expect(throws: Epitaph.DatabaseError.self) {
            try Epitaph.notify(with: .dontSend, for: [second, first])
        }
        #expect(here.has(first.description, "completed") && server.reports.count == 1)
    }

    @Test("What the program does not want is removed, and no later upload sends it")
    func unwanted() throws {
        let server = try IntakeServer()
        let id = try here.leaveDump()
        struct Unwanting: Epitaph.UploadDelegate {
            func shouldProcess(_ report: Epitaph.PendingReport) -> Bool { false }
        }
        var configuration = here.configuration
        configuration.destination = server.reportsURL
        configuration.uploadsEnabled = true
        configuration.uploads.delegate = Unwanting()
        let passes = Log()
        configuration.onUploads = { passes.add("\($0)") }
        Epitaph.start(configuration)
        #expect(eventually { !passes.lines.isEmpty })
        #expect(!here.has(id, "pending") && !here.has(id, "completed") && server.requests.isEmpty)
    }

    @Test("So is a report that was asked for, without consent for the others")
    func requested() throws {
        let server = try IntakeServer()
        start(server, isAllowed: false)
        let other = try Epitaph.reportLiveDump()
        let id = try Epitaph.reportLiveDump()
        try Epitaph.requestUpload(of: id)
        #expect(eventually { here.has(id.description, "completed") })
        #expect(here.has(other.description, "pending") && server.reports.count == 1)
    }
}
