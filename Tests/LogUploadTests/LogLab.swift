// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinuxSystem
import ReportUpload
import Synchronization
import TestSupport
import Testing

@testable import LogUpload

/// A directory of logs, a server that answers what a test wants, and clocks that a test sets.
final class LogLab {
    let parent: TemporaryDirectory
    let path: String
    let clock = SetClock()
    let server = PlayedServer()
    let delegate = Recorder()
    var options = LogUploadOptions()

    init() throws {
        parent = try TemporaryDirectory()
        path = parent.path("logs")
        try Directory.make(path)
    }

    /// What a process that starts now works with.
    func pass(to template: RequestTemplate? = nil) throws -> LogUploadPass {
        var plain = try RequestTemplate(.post, url: "http://logs.example.org/{uuid}/{file}")
        plain.compression = .none
        return LogUploadPass(
            through: path, to: TemplateDestination(template ?? plain), by: server,
            options: options, clock: clock, delegate: delegate)
    }

    /// - Parameter age: in seconds, by the clock of the lab.
    func write(_ text: String, to name: String, age: Double = 3_600) throws {
        try write(Array(text.utf8), to: name, age: age)
    }

    func write(_ bytes: [UInt8], to name: String, age: Double = 3_600) throws {
        try writeLog(bytes, to: path, name)
        try setAge(of: name, age)
    }

    func setAge(of name: String, _ age: Double) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: clock.now().addingTimeInterval(-age)],
            ofItemAtPath: path + "/" + name)
    }

    func rename(_ name: String, _ newName: String) {
        #expect(Glibc.rename(path + "/" + name, path + "/" + newName) == 0)
    }

    func moveDirectoryAway() {
        #expect(Glibc.rename(path, parent.path("elsewhere")) == 0)
    }

    func bringDirectoryBack() {
        #expect(Glibc.rename(parent.path("elsewhere"), path) == 0)
    }

    func remove(_ name: String) {
        #expect(unlink(path + "/" + name) == 0)
    }

    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: path + "/" + name)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
}

/// Writes a file, and comes back when nobody has it open for writing: programs that other tests start
/// at this moment have, until exec(2), all that this process has open.
func writeLog(_ bytes: [UInt8], to directory: String, _ name: String) throws {
    let path = directory + "/" + name
    func write() throws {
        let file = try FileDescriptor.open(path, flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
        try bytes.withUnsafeBytes { try file.writeAll($0) }
    }
    try write()
    let file = try FileDescriptor.openForReading(path)
    #expect(eventually { file.isOpenForWriting() == false })
}

/// Closes a file that was open for writing, and comes back when no other process has it so.
func closeLog(_ writer: Int32, _ path: String) throws {
    close(writer)
    let file = try FileDescriptor.openForReading(path)
    #expect(eventually { file.isOpenForWriting() == false })
}

/// Both clocks, each of which stands still until somebody sets it.
final class SetClock: UploadClock {
    private struct Values {
        var wall = Date(timeIntervalSince1970: 1_800_000_000)
        var monotonic = 1_000.0
        var isStopped = false
    }

    private let values = Mutex(Values())

    func now() -> Date { values.withLock { $0.wall } }
    func monotonicSeconds() -> Double { values.withLock { $0.monotonic } }
    var isStopped: Bool { values.withLock { $0.isStopped } }

    func wait(seconds: Double) { pass(seconds) }

    func pass(_ seconds: Double) {
        values.withLock {
            $0.wall += seconds
            $0.monotonic += seconds
        }
    }

    /// Somebody sets the time of day.
    func jump(_ seconds: Double) { values.withLock { $0.wall += seconds } }

    func stop() { values.withLock { $0.isStopped = true } }
}

/// Reads each request's body to its end and answers as told.
final class PlayedServer: Transport {
    struct Request {
        let method: UploadRequest.Method
        let url: String
        let headers: [String: String]
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
        /// The last part of the path.
        var file: String { String(url.split(separator: "/").last ?? "") }
        var id: String { String(url.split(separator: "/").dropLast().last ?? "") }
    }

    private(set) var requests: [Request] = []
    /// Asked once the body has been read.
    var answer: (Request) throws(TransportError) -> UploadResponse = { _ in
        UploadResponse(status: 200)
    }
    /// Called before the body is read.
    var beforeBody: () -> Void = {}

    var texts: [String] { requests.map(\.text) }
    var files: [String] { requests.map(\.file) }

    func send(_ request: UploadRequest) throws(TransportError) -> UploadResponse {
        beforeBody()
        var body: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_000, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            let count = try request.body.read(into: buffer)
            guard count > 0 else { break }
            body += buffer[..<count]
        }
        #expect(body.count == request.body.contentLength)
        let received = Request(
            method: request.method, url: request.url.text,
            headers: Dictionary(
                request.headers.map { ($0.name.lowercased(), $0.value) },
                uniquingKeysWith: { $0 + ", " + $1 }),
            body: body)
        requests.append(received)
        return try answer(received)
    }

    /// Answers with these, and with 200 from then on.
    func answer(_ responses: UploadResponse...) {
        var left = responses[...]
        answer = { _ in left.popFirst() ?? UploadResponse(status: 200) }
    }
}

/// Writes down what it is told, in order.
final class Recorder: LogUploadDelegate {
    private(set) var events: [String] = []
    var isWilling: (LogFile) -> Bool = { _ in true }

    func shouldUpload(_ file: LogFile) -> Bool { isWilling(file) }
    func willUpload(_ file: LogFile) { events.append("will \(file.name)") }

    func didUpload(_ file: LogFile, _ response: UploadResponse, leftOver: String?) {
        events.append("did \(file.name)" + (leftOver.map { _ in " and left it" } ?? ""))
    }

    func didFail(_ file: LogFile, _ failure: LogUploadFailure, willRetry: Bool) {
        events.append("failed \(file.name): \(failure)" + (willRetry ? "" : ", for good"))
    }

    func didVanish(_ file: LogFile) { events.append("vanished \(file.name)") }

    func didDiscard(_ file: LogFile, _ reason: DiscardReason) {
        events.append("discarded \(file.name): \(reason.rawValue)")
    }

    /// What was told since the last time it was asked, the announcements aside.
    func news() -> [String] {
        defer { events = [] }
        return events.filter { !$0.hasPrefix("will ") }
    }
}
