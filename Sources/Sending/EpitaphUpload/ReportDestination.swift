// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

/// A kind of collector: makes requests and interprets answers. The uploader decides when to send.
package protocol ReportDestination: Sendable {
    /// Scheme, host and port, for example `https://crash.example.org:8443`; never credentials.
    /// Shown to people, and the key of a server's pauses.
    var server: String { get }

    /// Identifies this destination with its key, so that a refusal applies as long as requests stay
    /// the same. Only a few bits of its hash are ever stored.
    var identity: DestinationIdentity { get }

    /// The report's files are open, and are read while the body is sent; `random` is for the
    /// boundary of a form.
    ///
    /// - Throws: `.bodyUnreadable` if a file of the report cannot be used, `.invalidURL` if the
    ///   report cannot be put into the destination's URL.
    func request(
        for report: OutgoingReport, random: inout some RandomNumberGenerator
    ) throws(TransportError) -> UploadRequest

    /// Sends one report: one request, unless the collector takes a report in parts. Parts are sent
    /// in order, sending one twice does no harm, and the report counts as accepted once all are.
    ///
    /// - Parameter adjust: may change each request before it is sent; if it throws, nothing more is
    ///   sent.
    /// - Returns: the answer to the last request: a refusal ends the delivery.
    func deliver(
        _ report: OutgoingReport, by transport: any Transport,
        adjusting adjust: (inout UploadRequest) throws(TransportError) -> Void,
        random: inout some RandomNumberGenerator
    ) throws(TransportError) -> UploadResponse

    /// Sentences about things to know although reports are accepted.
    var remarks: [String] { get }

    /// Depends only on the status, unless a collector is known to refuse reports with a success.
    func meaning(of response: UploadResponse, now: Timestamp) -> AnswerMeaning

    /// The collector's id for an accepted report, in one line of 256 characters; may be empty.
    func serverID(in response: UploadResponse) -> String
}

extension ReportDestination {
    /// Only the server: a changed key counts as the old one until the next try.
    package var identity: DestinationIdentity { DestinationIdentity([server]) }

    package func deliver(
        _ report: OutgoingReport, by transport: any Transport,
        adjusting adjust: (inout UploadRequest) throws(TransportError) -> Void,
        random: inout some RandomNumberGenerator
    ) throws(TransportError) -> UploadResponse {
        var request = try request(for: report, random: &random)
        try adjust(&request)
        return try transport.send(request)
    }

    package var remarks: [String] { [] }

    /// Depends only on the status and Retry-After.
    package func meaning(of response: UploadResponse, now: Timestamp) -> AnswerMeaning {
        AnswerMeaning(response, now: now)
    }

    /// The whole body, as Crashpad's and Breakpad's collectors answer.
    package func serverID(in response: UploadResponse) -> String {
        response.text
    }
}
