// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphUpload
import EpitaphValues

/// Statements for a ClickHouse server over its HTTP interface, one at a time. It waits for nothing
/// but the answer and tries nothing again.
package struct ClickHouseClient {
    /// A parameter of a request: a setting of the server, for this statement.
    package typealias Setting = (name: String, value: String)

    /// Whose table it is about.
    package let location: ClickHouseLocation
    private let transport: any Transport
    private let timeLimits: TimeLimits
    private let now: () -> Timestamp

    /// How long an answer may take. An INSERT that the client gives up may still be done, so it is
    /// waited for longer than a server usually takes.
    package static var patientLimits: TimeLimits {
        var limits = TimeLimits()
        limits.stall = .seconds(180)
        limits.total = .seconds(300)
        return limits
    }

    /// - Parameters:
    ///   - location: the table; statements may be about others of the same server.
    ///   - transport: sends the requests. How much of an answer it keeps is how long one may be.
    ///   - timeLimits: for each request.
    ///   - now: the time of day, for a server that says until when it is to be left alone.
    package init(
        _ location: ClickHouseLocation, by transport: any Transport,
        timeLimits: TimeLimits = ClickHouseClient.patientLimits,
        now: @escaping () -> Timestamp = { .now }
    ) {
        self.location = location
        self.transport = transport
        self.timeLimits = timeLimits
        self.now = now
    }

    /// Sends a statement and returns what the server answers.
    package func answer(
        to statement: String, settings: [Setting] = []
    ) throws(ClickHouseFailure) -> [UInt8] {
        let response = try send(url(settings), Array(statement.utf8))
        guard !response.isBodyCut else { throw .answerTooLong }
        return response.body
    }

    /// Sends an INSERT with its rows.
    ///
    /// - Parameters:
    ///   - statement: up to the name of the format.
    ///   - rows: in that format.
    ///   - settings: of the server, for this statement.
    package func insert(
        _ statement: String, rows: [UInt8], settings: [Setting]
    ) throws(ClickHouseFailure) {
        let response = try send(url([("query", statement)] + settings), rows)
        // A success has no text: what has one is no ClickHouse.
        guard response.body.isEmpty else { throw ClickHouseFailure(response, meaning: nil) }
    }

    /// The whole answer is made before its status is sent, so that the status is true.
    private func url(_ settings: [Setting]) -> UploadURL {
        location.url.adding(
            ([("wait_end_of_query", "1")] + settings).map { (name: $0.name, value: $0.value) })
    }

    private func send(
        _ url: UploadURL, _ body: [UInt8]
    ) throws(ClickHouseFailure) -> UploadResponse {
        let request = UploadRequest(
            .post, to: url, headers: [.contentType(.text)],
            body: StreamedBody([.bytes(ByteSlice(body))]), timeLimits: timeLimits,
            // Rows contain no secrets of the server's, and the settings are none.
            secrets: Secrets(location.url.secrets))
        let response: UploadResponse
        do throws(TransportError) {
            response = try transport.send(request)
        } catch {
            throw ClickHouseFailure(error)
        }
        let meaning = AnswerMeaning(response, now: now())
        guard meaning == .accepted, ClickHouseFailure.code(of: response) == nil else {
            throw ClickHouseFailure(response, meaning: meaning)
        }
        return response
    }
}
