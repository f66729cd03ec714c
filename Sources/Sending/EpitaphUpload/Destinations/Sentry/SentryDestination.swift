// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

/// A project of Sentry by its endpoint for minidumps; or of a server that understands Sentry's
/// events, by the endpoint for envelopes. Sources: "Minidumps",
/// docs.sentry.io/platforms/native/guides/minidumps, for the form and its limits (40 MB compressed,
/// 200 MB in all); relay-server/src/endpoints/minidump.rs of getsentry/relay for the answers.
package struct SentryDestination: ReportDestination {
    /// For reports without an annotation `release`. Without either the release is `prod@ver`.
    package var release: String?
    /// Sentry's `environment`, for example `production`; nil to leave it out.
    package var environment: String?
    package var compression = BodyCompression.gzip
    package var timeLimits = TimeLimits()
    private let url: UploadURL
    private let secrets: Secrets
    private let frames: Frames
    private let sendsMinidump: Bool

    enum Frames {
        /// Sentry, in the minidump; names and lines come from uploaded debug information.
        case server
        /// Epitaph, when it filed the report on the machine of the crash.
        case own
    }

    /// - Parameter dsn: as the project's settings show it; docs/destinations.md has what may follow.
    package init(dsn: String) throws(SettingError) {
        let parsed = try SentryDSN(dsn)
        url = parsed.url
        secrets = Secrets(parsed.url.secrets + [parsed.key])
        (frames, sendsMinidump) = (parsed.frames, parsed.sendsMinidump)
    }

    package var server: String { url.server }

    package var identity: DestinationIdentity { DestinationIdentity(["sentry", url.text]) }

    package func request(
        for report: OutgoingReport, random: inout some RandomNumberGenerator
    ) throws(TransportError) -> UploadRequest {
        guard frames == .server else { return try envelope(of: report) }
        var form = MultipartForm()
        // As separate fields the values would only be "extra data", and one called
        // `sentry[release]` would be mixed with this.
        form.set(
            "sentry", to: SentryEvent(report, release: release, environment: environment).json())
        form.set(
            ReportForm.minidumpName, to: try report.minidump.opened(), filename: report.fileName)
        // Sentry shows the file's name; some part names would make it read the file as an event.
        for (index, attachment) in report.attachments.enumerated() {
            form.set(
                "attachment_\(index + 1)", to: try attachment.content.opened(),
                filename: attachment.name, type: attachment.type)
        }
        return try form.request(
            to: url, compression: compression, timeLimits: timeLimits, secrets: secrets,
            random: &random)
    }

    private func envelope(of report: OutgoingReport) throws(TransportError) -> UploadRequest {
        let stacks = report.minidump.snapshot().flatMap {
            SentryStacks($0, words: report.messages.first)
        }
        var envelope = SentryEnvelope(
            SentryEvent(report, release: release, environment: environment, stacks: stacks))
        if sendsMinidump {
            envelope.add(
                try report.minidump.opened(), named: report.fileName,
                // Sentry would replace an event's stacks by what it finds in a minidump.
                purpose: stacks == nil ? "event.minidump" : nil)
        }
        for attachment in report.attachments {
            envelope.add(
                try attachment.content.opened(), named: attachment.name, type: attachment.type)
        }
        return try envelope.request(
            to: url, compression: compression, timeLimits: timeLimits, secrets: secrets)
    }

    package func meaning(of response: UploadResponse, now: Timestamp) -> AnswerMeaning {
        let limits = response.headers["X-Sentry-Rate-Limits"]
        // It takes precedence over Retry-After.
        guard response.status == 429, let limits, let seconds = SentryRateLimits.seconds(limits)
        else { return AnswerMeaning(response, now: now) }
        return .retry(notBeforeSeconds: seconds)
    }

    /// The event's id, in the form that Sentry's pages and searches use, without dashes.
    package func serverID(in response: UploadResponse) -> String {
        let text = JSONAnswer(response)?["id"] ?? response.text
        let digits = text.filter { $0 != "-" }
        let isID = digits.utf8.count == 32 && digits.allSatisfy { $0.isASCII && $0.isHexDigit }
        return isID ? digits.lowercased() : text.oneLine()
    }
}

extension OutgoingReport {
    var fileName: String { uuid.description + ".dmp" }
}
