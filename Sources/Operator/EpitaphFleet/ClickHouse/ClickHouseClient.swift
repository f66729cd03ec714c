// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphUpload
import EpitaphValues

/// Sends statements to a ClickHouse server over its HTTP interface, one at a time, without retries.
package struct ClickHouseClient {
    package typealias Setting = (name: String, value: String)

    package let location: ClickHouseLocation
    private let transport: any Transport
    private let timeLimits: TimeLimits
    private let now: () -> Timestamp

    /// Longer than a server usually takes: an INSERT may succeed after the client gives up.
    package static var patientLimits: TimeLimits {
        var limits = TimeLimits()
        limits.stall = .seconds(180)
        limits.total = .seconds(300)
        return limits
    }

    /// - Parameters:
    ///   - location: the table; statements may use others of the same server.
    ///   - now: the time of day, for a server that says how long it must be left alone.
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

    package func answer(
        to statement: String, settings: [Setting] = []
    ) throws(ClickHouseFailure) -> [UInt8] {
        let response = try send(url(settings), Array(statement.utf8))
        guard !response.isBodyCut else { throw .answerTooLong }
        return response.body
    }

    /// Sends an INSERT; `statement` goes up to the name of the format, in which `rows` are.
    package func insert(
        _ statement: String, rows: [UInt8], settings: [Setting]
    ) throws(ClickHouseFailure) {
        let response = try send(url([("query", statement)] + settings), rows)
        // A successful INSERT has an empty body; anything else is not ClickHouse.
        guard response.body.isEmpty else { throw ClickHouseFailure(response, meaning: nil) }
    }

    /// The server finishes the answer before it sends the status, so that the status is true.
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
            // Neither rows nor settings contain secrets of the server.
            secrets: Secrets(location.url.secrets))
        let response = try rethrowing(transport.send(request)) { (error: TransportError) in
            ClickHouseFailure(error)
        }
        let meaning = AnswerMeaning(response, now: now())
        guard meaning == .accepted, ClickHouseFailure.code(of: response) == nil else {
            throw ClickHouseFailure(response, meaning: meaning)
        }
        return response
    }
}
