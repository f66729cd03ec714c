// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Testing

@testable import EpitaphHTTP

/// What a small report meets on the network, in plain HTTP and over TLS.
struct Encounter: Sendable, CustomTestStringConvertible {
    let answer: Collector.Answer
    let isSecure: Bool

    var testDescription: String { answer.rawValue + (isSecure ? " over TLS" : "") }

    static func both(_ answers: Collector.Answer...) -> [Encounter] {
        [false, true].flatMap { isSecure in
            answers.map { Encounter(answer: $0, isSecure: isSecure) }
        }
    }

    /// Sends a report of `size` bytes; all has to be over at the limits, half a minute, and a busy
    /// machine's delays.
    func send(
        size: Int = 6, limits: TimeLimits = AnswerTests.patience
    ) throws -> Result<UploadResponse, TransportError> {
        let certificate = isSecure ? try Certificate() : nil
        let collector = try Collector(answer, certificate: certificate)
        let transport = try directTransport(caFile: certificate?.certificatePath)
        let port = collector.port
        let scheme = isSecure ? "https" : "http"
        let start = ContinuousClock.now
        defer { #expect(ContinuousClock.now - start < .seconds(90)) }
        do throws(TransportError) {
            let url = try UploadURL("\(scheme)://name:secret@127.0.0.1:\(port)/?k=secret")
            return .success(
                try transport.send(
                    UploadRequest(
                        to: url, body: body([UInt8](repeating: 1, count: size)), timeLimits: limits)
                ))
        } catch {
            #expect(error.description.contains("\(scheme)://127.0.0.1:\(port)"), "\(error)")
            #expect(!error.description.contains("secret"))
            return .failure(error)
        }
    }

    func expect(_ kind: String, size: Int = 6, limits: TimeLimits = AnswerTests.patience) throws {
        let result = try send(size: size, limits: limits)
        guard case .failure(let error) = result else {
            Issue.record("\(testDescription): \(result)")
            return
        }
        #expect(error.kind == kind, "\(testDescription): \(error)")
    }
}
