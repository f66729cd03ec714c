// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import Epitaph

/// Many errors at once, and what has no room, no time or no file.
@Suite struct ErrorFloodTests {
    @Test("A flood of one error is one report and, when it is over, one of how many came after it")
    func flood() throws {
        let directory = try TemporaryDirectory()
        let process = FakeProcess(in: directory)
        let errors = ErrorReports(process: process, options: .patient)
        let told = Told()
        for number in 0..<10_000 {
            // Another message each time: what is the same is the type, the case and the place.
            errors.send(error: LedgerError.isGone(number), completion: told.completion)
        }
        #expect(told.all.count { $0 == .success(.counted) } == 9_999)
        // However many are remembered, the reported one has the number.
        #expect(eventually { errors.recent.first?.repeatCount == 9_999 })
        errors.stop()
        #expect(errors.recent.first?.repeatCount == 9_999)
        #expect(errors.recent.count <= 100)
        let reports = try process.database.reports(.pending).reports
        #expect(reports.count == 2)
        let repeats = try reports.compactMap {
            try process.reportSnapshot($0.uuid).annotations
                .first { $0.name == "error-repeats" }?.value
        }
        #expect(repeats == ["9999"])
        #expect(errors.losses == ErrorReports.Losses())
    }

    @Test("Each error of a kind is remembered with its own data, and their report has the latest")
    func tenants() throws {
        let directory = try TemporaryDirectory()
        let process = FakeProcess(in: directory)
        let errors = ErrorReports(process: process, options: .patient)
        var ids: [Epitaph.ID?] = []
        for number in 0..<40 {
            FakeProcess.$request.withValue("request \(number)") {
                let id = errors.trackError(
                    LedgerError.isGone(number), properties: ["tenant": "tenant \(number)"])
                ids.append(id)
            }
        }
        #expect(eventually { errors.recent.count == 40 })
        let recent = errors.recent
        #expect(
            recent.compactMap { $0.error.properties["tenant"] }.sorted()
                == (0..<40).map { "tenant \($0)" }.sorted())
        #expect(recent.compactMap(\.id) == ids.compactMap(\.self))
        #expect(recent.compactMap(\.failure).isEmpty)
        // The report of the number has them all the same.
        errors.clearRecent()
        #expect(errors.recent.isEmpty)
        errors.stop()
        let others = try process.database.reports(.pending).reports.map(\.uuid)
            .filter { $0 != ids[0] }
        let report = try process.reportSnapshot(try #require(others.first))
        #expect(others.count == 1)
        #expect(!report.annotations.contains { $0.name == "tenant" || $0.name == "request" })
        #expect(report.messages.first?.text.contains("39 more of the same place") == true)
        let repeats = report.breadcrumbs.filter { $0.category == "error-repeat" }
        #expect(
            repeats.map(\.message).map { $0.suffix(17) }
                == (30..<40).map { "ledger \($0) is gone" })
        #expect(
            repeats.map { repeated in
                ["tenant", "request", "colour"].map { name in
                    repeated.attributes.first { $0.name == name }?.value ?? ""
                }
            } == (30..<40).map { ["tenant \($0)", "request \($0)", "of the request"] })
    }

    @Test("An error that is dropped is remembered, too, with the reason")
    func dropped() throws {
        let directory = try TemporaryDirectory()
        var options = HandledErrorOptions.patient
        options.reportsPerMinute = 1
        let errors = ErrorReports(process: FakeProcess(in: directory), options: options)
        defer { errors.stop() }
        errors.trackMessage("one")
        #expect(errors.trackError(LedgerError.isLocked, properties: ["tenant": "acme"]) == nil)
        #expect(eventually { errors.recent.count == 2 })
        let last = errors.recent.first { $0.id == nil }
        #expect(last?.error.properties == ["tenant": "acme"])
        #expect(last?.failure == .tooManyErrors(perMinute: 1))
    }

    @Test("Errors of two places and of two cases are told apart")
    func kinds() throws {
        let directory = try TemporaryDirectory()
        let errors = ErrorReports(process: FakeProcess(in: directory), options: .patient)
        defer { errors.stop() }
        let first = errors.trackError(LedgerError.isGone(1))
        let second = errors.trackError(LedgerError.isGone(1))
        #expect(first != nil && second != nil)
        var ids: [Epitaph.ID?] = []
        for error in unforeseen([LedgerError.isGone(1), .isLocked, .isLocked]) {
            ids.append(errors.trackError(error))
        }
        #expect(ids.map { $0 != nil } == [true, true, false])
    }

    @Test("The queue and the minute are bounded, and what is dropped is counted")
    func bounds() throws {
        let directory = try TemporaryDirectory()
        let process = FakeProcess(in: directory)
        var options = HandledErrorOptions.patient
        options.queueLimit = 2
        options.reportsPerMinute = 4
        let errors = ErrorReports(process: process, options: options)
        let told = Told()
        process.withoutReports {
            // One is being made, two wait.
            errors.send(attachmentPaths: [], completion: told.completion)
            #expect(eventually { errors.waitingCount == 0 })
            for _ in 0..<3 { errors.send(attachmentPaths: [], completion: told.completion) }
            #expect(told.all == [.failure(.errorQueueIsFull(limit: 2))])
        }
        #expect(eventually { errors.recent.count == 3 })
        for _ in 0..<2 { errors.send(attachmentPaths: [], completion: told.completion) }
        #expect(told.all.contains(.failure(.tooManyErrors(perMinute: 4))))
        #expect(errors.losses.queueIsFull == 1)
        #expect(errors.losses.tooMany == 1)
        errors.stop()
    }

    @Test("Stopping waits no longer than it may, and tells those whose turn did not come")
    func stopping() throws {
        let directory = try TemporaryDirectory()
        let process = FakeProcess(in: directory)
        var options = HandledErrorOptions()
        options.stopTimeout = .seconds(0.05)
        let errors = ErrorReports(process: process, options: options)
        let told = Told()
        process.withoutReports {
            errors.send(message: "one", completion: told.completion)
            #expect(eventually { errors.waitingCount == 0 })
            errors.send(
                error: LedgerError.isLocked, capturesAllThreads: true,
                completion: told.completion)
            errors.stop()
            #expect(eventually { told.all == [.failure(.errorReportsStopped)] })
            #expect(process.discardedCount == 1)
        }
        #expect(errors.trackMessage("late") == nil)
        #expect(errors.losses.stopped == 2)
        #expect(eventually { told.all.count == 2 })
    }

    @Test("What cannot be captured or filed is told, and the next one is tried again")
    func failures() async throws {
        let directory = try TemporaryDirectory()
        let process = FakeProcess(in: directory)
        let errors = ErrorReports(process: process, options: .patient)
        defer { errors.stop() }
        process.isStarted = false
        await #expect(throws: Refusal.errorReportsNotStarted) {
            try await errors.send(message: "one")
        }
        process.isStarted = true
        process.problem = .errorNotFiled("no disk")
        await #expect(throws: Refusal.errorNotFiled("no disk")) {
            try await errors.send(message: "two")
        }
        process.problem = nil
        try FileManager.default.createDirectory(
            atPath: process.path, withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: process.path + "/new"))
        await #expect(throws: Refusal.self) {
            try await errors.send(message: "three")
        }
        try FileManager.default.removeItem(atPath: process.path + "/new")
        let outcome = try await errors.send(message: "four")
        if case .counted = outcome { Issue.record("it is of another place") }
        #expect(errors.losses.notFiled == 2)
        #expect(errors.recent.map { $0.failure == nil } == [false, false, true])
    }

    @Test("Only the latest are kept for inspection")
    func recent() throws {
        let directory = try TemporaryDirectory()
        var options = HandledErrorOptions.patient
        options.recentLimit = 2
        let errors = ErrorReports(process: FakeProcess(in: directory), options: options)
        errors.trackMessage("one")
        errors.trackMessage("two")
        errors.trackMessage("three")
        // `stop` waits for a time only, and drops what is not made by then.
        #expect(eventually { errors.recent.map(\.error.message) == ["two", "three"] })
        errors.stop()
        #expect(errors.recent.map(\.error.message) == ["two", "three"])
    }

    @Test("A completion may report an error itself")
    func completionCallsBack() throws {
        let directory = try TemporaryDirectory()
        let errors = ErrorReports(process: FakeProcess(in: directory), options: .patient)
        defer { errors.stop() }
        errors.send(message: "one") { _ in errors.trackMessage("two") }
        #expect(eventually { errors.recent.map(\.error.message) == ["one", "two"] })
    }
}
