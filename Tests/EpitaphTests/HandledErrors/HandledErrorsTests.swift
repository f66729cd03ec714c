// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Synchronization
import Testing

@testable import Epitaph

@Suite struct HandledErrorsTests {
    @Test("An error becomes a report with its type, words, properties, files and the thread")
    func oneReport() async throws {
        let directory = try TemporaryDirectory()
        let process = FakeProcess(in: directory)
        let log = try directory.write(Array("up\n".utf8), to: "my.log")
        let errors = ErrorReports(process: process, options: .patient)
        defer { errors.stop() }
        let outcome = try await errors.send(
            error: LedgerError.isGone(7), properties: ["colour": "of the error"],
            attachments: [
                .file(AttachedFile(log)), .text("a = 1", name: "my.log"),
                .file(AttachedFile(directory.path("missing"))), .bytes([1]), .bytes([2]),
            ])
        guard case .filed(let id, let problems) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(problems.count == 1 && problems[0].contains("missing is not attached"))
        let names = ["2-attachment.bin", "2-my.log", "attachment.bin", "my.log"]
        #expect(try process.database.attachmentNames(of: id) == names)
        let snapshot = try process.reportSnapshot(id)
        let type = "EpitaphTests.LedgerError"
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
        let errors = ErrorReports(process: process, options: .patient)
        func report() -> Epitaph.ID? { errors.trackMessage("no stock") }
        let ids = unforeseen(["7", "8"]).map { request in
            FakeProcess.$request.withValue(request) { report() }
        }
        let first = try #require(ids[0])
        #expect(ids[1] == nil)
        #expect(eventually { errors.recent.compactMap(\.id).count == 1 })
        errors.stop()
        let own = try process.reportSnapshot(first)
        let request = try #require(own.annotations.first { $0.name == "request" })
        #expect(request.value == "7" && request.isOfTask)
        #expect(own.annotations.filter { $0.name == "colour" }.map(\.value) == ["of the request"])
        #expect(own.breadcrumbs.map(\.message) == ["before"])
        #expect(own.breadcrumbs.map(\.isOfTask) == [true])
        let others = try process.database.reports(.pending).reports.map(\.uuid)
            .filter { $0 != first }
        let repeats = try process.reportSnapshot(try #require(others.first))
        #expect(!repeats.annotations.contains { $0.name == "request" })
    }

    @Test("Whoever asked learns of each report, and of how many errors it is about")
    func observer() throws {
        let directory = try TemporaryDirectory()
        let notices = Mutex<[HandledErrorNotice]>([])
        let process = FakeProcess(in: directory)
        let errors = ErrorReports(process: process, options: .patient) { notice in
            notices.withLock { $0.append(notice) }
        }
        errors.prepare()
        var ids: [Epitaph.ID?] = []
        for number in 0..<unforeseen(5) {
            ids.append(errors.trackError(LedgerError.isGone(number)))
        }
        #expect(eventually { errors.recent.compactMap(\.id).count == 1 })
        process.problem = .errorNotFiled("no disk")
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
        #expect(told[2].error.message.hasPrefix("4 more of the same place"))
    }

    @Test(
        "A flood from sixteen threads is counted to the last error, in little memory, and quickly over"
    )
    func floodFromManyThreads() throws {
        let directory = try TemporaryDirectory()
        let process = FakeProcess(in: directory)
        var options = HandledErrorOptions.patient
        options.reportsPerMinute = 8
        let errors = ErrorReports(process: process, options: options)
        let threads = 16
        let each = 4_000
        let start = ContinuousClock.now
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
        func counted() -> Int {
            errors.recent.map { $0.id == nil ? 0 : 1 + $0.repeatCount }.reduce(0, +)
        }
        let losses = errors.losses
        #expect(losses.notFiled == 0 && losses.stopped == 0)
        let dropped = losses.tooMany + losses.queueIsFull
        // Those of the report that was being made when `stop` had waited for its time come later.
        #expect(eventually { counted() + dropped == 2 * threads * each })
        // On a machine that takes minutes, eight for each.
        let minutes = (ContinuousClock.now - start) / .seconds(60)
        #expect(Double(errors.recent.compactMap(\.id).count) <= 8 * (1 + minutes))
        // Those of the kind that came first, at least.
        #expect(counted() >= threads * each)
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
        let errors = ErrorReports(process: process, options: .patient)
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
        let exception = try process.reportSnapshot(id)
        #expect(exception.messages.first?.text == "TypeError: x is undefined")
        #expect(
            exception.annotations.contains(
                Annotation(name: "error-stack-trace", value: "at a.js:1")))
    }

    @Test("With all threads, the report is of the capture that was made in the call")
    func allThreads() throws {
        let directory = try TemporaryDirectory()
        let process = FakeProcess(in: directory)
        let errors = ErrorReports(process: process, options: .patient)
        defer { errors.stop() }
        let id = try #require(errors.trackError(LedgerError.isLocked, capturesAllThreads: true))
        #expect(eventually { errors.recent.compactMap(\.id).count == 1 })
        #expect(try process.reportSnapshot(id).threads.map(\.id) == [1, 2])
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

    @Test("A completion that ends error reporting is not waited for by itself")
    func stopInCompletion() throws {
        let directory = try TemporaryDirectory()
        let errors = ErrorReports(process: FakeProcess(in: directory), options: .patient)
        let took = Mutex<Duration?>(nil)
        errors.send(error: LedgerError.isLocked) { _ in
            let time = ContinuousClock().measure { errors.stop() }
            took.withLock { $0 = time }
        }
        #expect(eventually { took.withLock { $0 } != nil })
        #expect(try #require(took.withLock { $0 }) < HandledErrorOptions.patient.stopTimeout / 2)
        #expect(errors.trackError(LedgerError.isLocked) == nil)
    }

    private indirect enum Wrapped: Error {
        case first(String)
        case again(Wrapped, attempt: Int)
        case many([[Int?]])
    }

    @Test("An error that wraps others a thousandfold is described without the program's end")
    func deepError() {
        var error = Wrapped.first("the disk is full")
        for attempt in 1...10 { error = .again(error, attempt: attempt) }
        let words = HandledError(error).message
        #expect(words == String(describing: error) && words.contains("the disk is full"))
        for attempt in 11...5_000 { error = .again(error, attempt: attempt) }
        let deep = HandledError(error).message
        #expect(deep.contains("attempt: 5000") && deep.contains("attempt: 4995"))
        #expect(!deep.contains("attempt: 4000"))
        let wide = Wrapped.many(Array(repeating: [1, nil], count: 100))
        #expect(HandledError(wide).message == String(describing: wide).cut(toUTF8Bytes: 4_096))
        #expect(!HandledError(Wrapped.many([Array(repeating: 1, count: 1 << 20)])).message.isEmpty)
    }

    @Test("Options keep within their bounds")
    func options() {
        var options = HandledErrorOptions()
        options.reportsPerMinute = -1
        options.window = .seconds(-1)
        options.queueLimit = 0
        options.recentLimit = .max
        options.stopTimeout = .seconds(Int64.max)
        #expect(options.reportsPerMinute == 0)
        #expect(options.window == .seconds(1))
        #expect(options.queueLimit == 1)
        #expect(options.recentLimit == 1_000)
        #expect(options.stopTimeout == .seconds(30))
    }
}
