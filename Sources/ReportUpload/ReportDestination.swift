// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A kind of collector: how a report becomes a request there, and how its answers are read.
///
/// A destination makes requests and nothing else. When, how often and whether a report is sent is
/// the uploader's business, the network is the transport's.
public protocol ReportDestination: Sendable {
    /// Scheme, host and port of the collector, for example `https://crash.example.org:8443`; never
    /// its credentials. Shown to people, and the key of a server's pauses.
    var server: String { get }

    /// Identifies this destination together with its key, so that a refusal counts for as long as
    /// it is asked in the same way, and a new key starts afresh. Only a few bits of a hash of it
    /// are ever kept.
    var identity: DestinationIdentity { get }

    /// The request that carries one report. Files are open already, and read while the body is
    /// sent.
    ///
    /// - Parameters:
    ///   - report: all that goes out.
    ///   - random: for the lines between the parts of a form.
    /// - Throws: `.bodyUnreadable` when a file of the report cannot be used, `.invalidURL` when the
    ///   report cannot be put into the destination's URL.
    func request(
        for report: OutgoingReport, random: inout some RandomNumberGenerator
    ) throws(TransportError) -> UploadRequest

    /// What an answer means for the report. By its status alone, unless a collector is known to
    /// refuse reports with a success.
    func meaning(of response: UploadResponse, now: Date) -> AnswerMeaning

    /// What the collector calls a report it took; empty when it does not say. Only asked about
    /// answers whose meaning is `.accepted`; what is made of it is one line of 256 characters.
    func serverID(in response: UploadResponse) -> String
}

extension ReportDestination {
    /// The server alone: a key that is changed is then taken for the old one until the next try.
    public var identity: DestinationIdentity { DestinationIdentity([server]) }

    /// By the status and Retry-After alone.
    public func meaning(of response: UploadResponse, now: Date) -> AnswerMeaning {
        AnswerMeaning(response, now: now)
    }

    /// The whole body, as Crashpad's and Breakpad's collectors answer.
    public func serverID(in response: UploadResponse) -> String {
        response.text
    }
}
