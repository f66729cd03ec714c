// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

/// A kind of collector: how a request is made for a report, and how its answers are interpreted.
///
/// A destination only makes requests. When, how often and whether a report is sent is decided by
/// the uploader; the transport does the networking.
package protocol ReportDestination: Sendable {
    /// Scheme, host and port of the collector, for example `https://crash.example.org:8443`; never
    /// its credentials. Shown to people, and the key of a server's pauses.
    var server: String { get }

    /// Identifies this destination together with its key, so that a refusal applies as long as
    /// requests are made in the same way, and a new key starts afresh. Only a few bits of a hash of
    /// it are ever stored.
    var identity: DestinationIdentity { get }

    /// The request that carries one report. The report's files are already open, and are read while
    /// the body is sent.
    ///
    /// - Parameters:
    ///   - report: everything that is sent.
    ///   - random: for the lines between the parts of a form.
    /// - Throws: `.bodyUnreadable` if a file of the report cannot be used, `.invalidURL` if the
    ///   report cannot be put into the destination's URL.
    func request(
        for report: OutgoingReport, random: inout some RandomNumberGenerator
    ) throws(TransportError) -> UploadRequest

    /// Sends one report: one request, unless the collector takes a report in parts. Parts are sent
    /// in order, sending one twice does no harm, and the report counts as accepted once all are.
    ///
    /// - Parameters:
    ///   - report: everything that is sent.
    ///   - transport: sends each request.
    ///   - adjust: may change each request before it is sent; if it throws, nothing more is sent.
    ///   - random: for the lines between the parts of a form.
    /// - Returns: the answer to the last request: a refusal ends the delivery.
    func deliver(
        _ report: OutgoingReport, by transport: any Transport,
        adjusting adjust: (inout UploadRequest) throws(TransportError) -> Void,
        random: inout some RandomNumberGenerator
    ) throws(TransportError) -> UploadResponse

    /// Sentences about things that should be known although reports are accepted.
    var remarks: [String] { get }

    /// What an answer means for the report. Depends only on its status, unless a collector is known
    /// to refuse reports with a success.
    func meaning(of response: UploadResponse, now: Timestamp) -> AnswerMeaning

    /// What the collector calls a report it accepted; empty if it does not say. Only called for
    /// answers whose meaning is `.accepted`; the result is cut to one line of 256 characters.
    func serverID(in response: UploadResponse) -> String
}

extension ReportDestination {
    /// Only the server: a changed key counts as the old one until the next try.
    package var identity: DestinationIdentity { DestinationIdentity([server]) }

    /// One request, as `request` makes it.
    package func deliver(
        _ report: OutgoingReport, by transport: any Transport,
        adjusting adjust: (inout UploadRequest) throws(TransportError) -> Void,
        random: inout some RandomNumberGenerator
    ) throws(TransportError) -> UploadResponse {
        var request = try request(for: report, random: &random)
        try adjust(&request)
        return try transport.send(request)
    }

    /// None.
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
