// SPDX-License-Identifier: Apache-2.0

import Foundation
import ReportUpload
import Synchronization
import Testing

@testable import LogUpload

/// Reads each request's body to its end and gives the prepared answer.
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

/// Records what is reported, in order.
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

    /// What was reported since the last call, without the announcements.
    func news() -> [String] {
        defer { events = [] }
        return events.filter { !$0.hasPrefix("will ") }
    }
}
