// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import LinuxSystem
import Minidump
import ReportDatabase
import Snapshot
import Synchronization
import TestSupport
import Testing

@testable import HandledErrors

@Suite struct HandledErrorsTests {
    private func snapshot(of id: UUID, in process: FakeProcess) throws -> ProcessSnapshot {
        let report = try process.database.report(id)
        let bytes = try #require(FileManager.default.contents(atPath: report.path))
        return try MinidumpReader.read(ByteSlice(Array(bytes))).snapshot
    }

    @Test("An error becomes a report with its type, words, properties, files and the thread")
    func oneReport() async throws {
        let directory = try TemporaryDirectory()
        let process = FakeProcess(in: directory)
        let log = try directory.write(Array("up\n".utf8), to: "my.log")
        let errors = ErrorReports(process: process)
        defer { errors.stop() }
        let outcome = try await errors.send(
            error: LedgerError.isGone(7), properties: ["colour": "of the error"],
            attachments: [
                .file(AttachedFile(log)), .text("a = 1", name: "my.log"),
                .file(AttachedFile(directory.path("missing"))),
            ])
        guard case .filed(let id, let problems) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(problems.count == 1 && problems[0].contains("missing is not attached"))
        #expect(try process.database.attachmentNames(of: id) == ["2-my.log", "my.log"])
        let snapshot = try snapshot(of: id, in: process)
        let type = "HandledErrorsTests.LedgerError"
        #expect(snapshot.messages.first?.text == "\(type): ledger 7 is gone")
        let annotations = Dictionary(
            grouping: snapshot.annotations, by: \.name
        ).mapValues { $0.map(\.value) }
        #expect(annotations["colour"] == ["of the error"])
        #expect(annotations["ver"] == ["1"])
        #expect(annotations["error-type"] == [type])
        #expect(annotations["error-domain"] == nil)
        #expect(snapshot.threads.count == 1)
        #expect(snapshot.threads.first?.stack.map { !$0.bytes.isEmpty } == true)
        #expect(snapshot.breadcrumbs.map(\.message) == ["before"])
        let recent = try #require(errors.recent.first)
        #expect(recent.id == id && recent.error.type == type && recent.failure == nil)
    }

    @Test(
        "What the caller knew of its own work is in the report, marked, and not of those after it")
    func scope() throws {
        let directory = try TemporaryDirectory()
        let process = FakeProcess(in: directory)
        let errors = ErrorReports(process: process)
        func report() -> UUID? { errors.trackMessage("no stock") }
        let ids = ["7", "8"].map { request in
            FakeProcess.$request.withValue(request) { report() }
        }
        let first = try #require(ids[0])
        #expect(ids[1] == nil)
        #expect(eventually { errors.recent.count == 1 })
        errors.stop()
        let own = try snapshot(of: first, in: process)
        let request = try #require(own.annotations.first { $0.name == "request" })
        #expect(request.value == "7" && request.isOfTask)
        #expect(own.annotations.filter { $0.name == "colour" }.map(\.value) == ["of the request"])
        #expect(own.breadcrumbs.map(\.message) == ["before"])
        #expect(own.breadcrumbs.map(\.isOfTask) == [true])
        let others = try process.database.reports(.pending).reports.map(\.uuid)
            .filter { $0 != first }
        let repeats = try snapshot(of: try #require(others.first), in: process)
        #expect(!repeats.annotations.contains { $0.name == "request" })
    }

    @Test("Whoever asked learns of each report, and of how many errors it is about")
    func observer() throws {
        let directory = try TemporaryDirectory()
        let notices = Mutex<[HandledErrorNotice]>([])
        let process = FakeProcess(in: directory)
        let errors = ErrorReports(process: process) { notice in
            notices.withLock { $0.append(notice) }
        }
        errors.prepare()
        var ids: [UUID?] = []
        for number in 0..<5 { ids.append(errors.trackError(LedgerError.isGone(number))) }
        #expect(eventually { errors.recent.count == 1 })
        process.problem = .notFiled("no disk")
        errors.trackMessage("two")
        // No error.
        errors.send(attachmentPaths: []) { _ in }
        #expect(eventually { errors.losses.notFiled == 2 })
        process.problem = nil
        errors.stop()
        let told = notices.withLock { $0 }
        #expect(told.map(\.count) == [1, 1, 4])
        #expect(told.map { $0.reportID != nil } == [true, false, true])
        #expect(told[0].reportID == ids[0])
        #expect(told[2].error.message == "ledger 0 is gone")
    }

    @Test(
        "A flood from sixteen threads is counted to the last error, in little memory, and quickly over"
    )
    func floodFromManyThreads() throws {
        let directory = try TemporaryDirectory()
        let process = FakeProcess(in: directory)
        var options = HandledErrorOptions()
        options.reportsPerMinute = 8
        options.stopTimeoutSeconds = 30
        let errors = ErrorReports(process: process, options: options)
        let threads = 16
        let each = 4_000
        let work = (0..<threads).map { thread in
            BackgroundThread.Work("flood") {
                for number in 0..<each {
                    // One kind for all threads, and one of each thread's own.
                    errors.trackError(LedgerError.isGone(number))
                    errors.trackException(
                        ExceptionModel(type: "of \(thread)", message: "\(number)"))
                }
            }
        }
        for work in work { work.wait() }
        errors.stop()
        let losses = errors.losses
        let recent = errors.recent
        #expect(losses.notFiled == 0 && losses.stopped == 0)
        let counted = recent.map { 1 + $0.repeatCount }.reduce(0, +)
        let dropped = losses.tooMany + losses.queueIsFull
        #expect(counted + dropped == 2 * threads * each)
        #expect(recent.count <= 8)
        // Those of the kind that came first, at least.
        #expect(counted >= threads * each)
    }

    @Test("Foundation's errors keep their domain and code")
    func foundationError() throws {
        let error = HandledError(
            NSError(domain: "org.example.ledger", code: 42, userInfo: [:]))
        #expect(error.domain == "org.example.ledger")
        #expect(error.code == 42)
    }

    @Test("Messages, exceptions of other runtimes and files alone become reports, too")
    func otherSubjects() async throws {
        let directory = try TemporaryDirectory()
        let process = FakeProcess(in: directory)
        let log = try directory.write(Array("up\n".utf8), to: "my.log")
        let errors = ErrorReports(process: process)
        defer { errors.stop() }
        let told = Told()
        errors.send(message: "the disk is nearly full", completion: told.completion)
        errors.send(attachmentPaths: [log], completion: told.completion)
        errors.send(attachmentPaths: [log], completion: told.completion)
        let id = try #require(
            errors.trackException(
                ExceptionModel(
                    type: "TypeError", message: "x is undefined", stackTrace: "at a.js:1")))
        #expect(eventually { errors.recent.count == 4 })
        let names = try told.all.map { result -> [String] in
            guard case .filed(let id, _) = try result.get() else { return ["not filed"] }
            return try process.database.attachmentNames(of: id)
        }
        // Files are never counted instead of kept.
        #expect(names == [[], ["my.log"], ["my.log"]])
        let exception = try snapshot(of: id, in: process)
        #expect(exception.messages.first?.text == "TypeError: x is undefined")
        #expect(
            exception.annotations.contains(
                Annotation(name: "error-stack-trace", value: "at a.js:1")))
    }

    @Test("With all threads, the report is of the capture that was made in the call")
    func allThreads() throws {
        let directory = try TemporaryDirectory()
        let process = FakeProcess(in: directory)
        let errors = ErrorReports(process: process)
        defer { errors.stop() }
        let id = try #require(errors.trackError(LedgerError.isLocked, capturesAllThreads: true))
        #expect(eventually { errors.recent.count == 1 })
        #expect(try snapshot(of: id, in: process).threads.map(\.id) == [1, 2])
    }

    @Test("A flood of one error is one report and, when it is over, one of how many came after it")
    func flood() throws {
        let directory = try TemporaryDirectory()
        let process = FakeProcess(in: directory)
        let errors = ErrorReports(process: process)
        let told = Told()
        for number in 0..<10_000 {
            // Another message each time: what is the same is the type, the case and the place.
            errors.send(error: LedgerError.isGone(number), completion: told.completion)
        }
        #expect(told.all.count { $0 == .success(.counted) } == 9_999)
        #expect(eventually { errors.recent.count == 1 })
        #expect(errors.recent.first?.repeatCount == 9_999)
        errors.stop()
        #expect(errors.recent.first?.repeatCount == 9_999)
        let reports = try process.database.reports(.pending).reports
        #expect(reports.count == 2)
        let repeats = try reports.compactMap {
            try snapshot(of: $0.uuid, in: process).annotations
                .first { $0.name == "error-repeats" }?.value
        }
        #expect(repeats == ["9999"])
        #expect(errors.losses == ErrorReports.Losses())
    }

    @Test("Errors of two places and of two cases are told apart")
    func kinds() throws {
        let directory = try TemporaryDirectory()
        let errors = ErrorReports(process: FakeProcess(in: directory))
        defer { errors.stop() }
        let first = errors.trackError(LedgerError.isGone(1))
        let second = errors.trackError(LedgerError.isGone(1))
        #expect(first != nil && second != nil)
        var ids: [UUID?] = []
        for error in [LedgerError.isGone(1), .isLocked, .isLocked] {
            ids.append(errors.trackError(error))
        }
        #expect(ids.map { $0 != nil } == [true, true, false])
    }

    @Test("The queue and the minute are bounded, and what is dropped is counted")
    func bounds() throws {
        let directory = try TemporaryDirectory()
        let process = FakeProcess(in: directory)
        var options = HandledErrorOptions()
        options.queueLimit = 2
        options.reportsPerMinute = 4
        let errors = ErrorReports(process: process, options: options)
        let told = Told()
        process.withoutReports {
            // One is being made, two wait.
            errors.send(attachmentPaths: [], completion: told.completion)
            #expect(eventually { errors.waitingCount == 0 })
            for _ in 0..<3 { errors.send(attachmentPaths: [], completion: told.completion) }
            #expect(told.all == [.failure(.queueIsFull(limit: 2))])
        }
        #expect(eventually { errors.recent.count == 3 })
        for _ in 0..<2 { errors.send(attachmentPaths: [], completion: told.completion) }
        #expect(told.all.contains(.failure(.tooMany(perMinute: 4))))
        #expect(errors.losses.queueIsFull == 1)
        #expect(errors.losses.tooMany == 1)
        errors.stop()
    }

    @Test("Stopping waits no longer than it may, and tells those whose turn did not come")
    func stopping() throws {
        let directory = try TemporaryDirectory()
        let process = FakeProcess(in: directory)
        var options = HandledErrorOptions()
        options.stopTimeoutSeconds = 0.05
        let errors = ErrorReports(process: process, options: options)
        let told = Told()
        process.withoutReports {
            errors.send(message: "one", completion: told.completion)
            #expect(eventually { errors.waitingCount == 0 })
            errors.send(
                error: LedgerError.isLocked, capturesAllThreads: true,
                completion: told.completion)
            errors.stop()
            #expect(eventually { told.all == [.failure(.stopped)] })
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
        let errors = ErrorReports(process: process)
        defer { errors.stop() }
        process.isStarted = false
        await #expect(throws: HandledErrorFailure.notStarted) {
            try await errors.send(message: "one")
        }
        process.isStarted = true
        process.problem = .notFiled("no disk")
        await #expect(throws: HandledErrorFailure.notFiled("no disk")) {
            try await errors.send(message: "two")
        }
        process.problem = nil
        try FileManager.default.createDirectory(
            atPath: process.path, withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: process.path + "/new"))
        await #expect(throws: HandledErrorFailure.self) {
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
        var options = HandledErrorOptions()
        options.recentLimit = 2
        let errors = ErrorReports(process: FakeProcess(in: directory), options: options)
        errors.trackMessage("one")
        errors.trackMessage("two")
        errors.trackMessage("three")
        errors.stop()
        #expect(errors.recent.map(\.error.message) == ["two", "three"])
    }

    @Test("A completion may report an error itself")
    func completionCallsBack() throws {
        let directory = try TemporaryDirectory()
        let errors = ErrorReports(process: FakeProcess(in: directory))
        defer { errors.stop() }
        errors.send(message: "one") { _ in errors.trackMessage("two") }
        #expect(eventually { errors.recent.map(\.error.message) == ["one", "two"] })
    }

    @Test("Long texts are cut before a character, and the report says so")
    func longTexts() {
        let error = HandledError(
            type: "", message: String(repeating: "😀", count: 2_000),
            properties: Dictionary(
                uniqueKeysWithValues: (0..<70).map { ("name \($0 + 10)", "value") }))
        #expect(error.type == "error")
        #expect(error.message == String(repeating: "😀", count: 1_024))
        #expect(error.properties.count == 64)
        #expect(error.properties["name 10"] == "value")
        #expect(error.isCut)
        #expect(!HandledError(type: "a", message: "b").isCut)
        #expect(String(repeating: "ä", count: 10).cut(toUTF8Bytes: 5) == "ää")
    }

    @Test("Options keep within their bounds")
    func options() {
        var options = HandledErrorOptions()
        options.reportsPerMinute = -1
        options.windowSeconds = .nan
        options.queueLimit = 0
        options.recentLimit = .max
        options.stopTimeoutSeconds = .infinity
        #expect(options.reportsPerMinute == 0)
        #expect(options.windowSeconds == 1)
        #expect(options.queueLimit == 1)
        #expect(options.recentLimit == 1_000)
        #expect(options.stopTimeoutSeconds == 30)
    }
}
