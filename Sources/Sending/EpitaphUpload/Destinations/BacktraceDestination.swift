// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

/// A project of Backtrace, at submit.backtrace.io or on your own server. "HTTP Submission for
/// Minidump", "File Attachments", "Error Reporting API Endpoints":
/// docs.saucelabs.com/error-reporting; BacktraceResponse: backtrace-labs/backtrace-cocoa.
package struct BacktraceDestination: ReportDestination {
    package var compression = BodyCompression.gzip
    package var timeLimits = TimeLimits()
    private let url: UploadURL
    private let secrets: Secrets

    /// - Parameters:
    ///   - universe: of the instance's address, `UNIVERSE.sp.backtrace.io`.
    ///   - token: of the project, with the capability error:post.
    package init(universe: String, token: String) throws(SettingError) {
        guard !universe.isEmpty,
            universe.utf8.allSatisfy({ isAlphanumeric($0) || $0 == UInt8(ascii: "-") })
        else {
            throw SettingError(
                "the Backtrace universe must be letters, digits and dashes: the first part of"
                    + " your instance's address, UNIVERSE.sp.backtrace.io")
        }
        guard token.utf8.count >= 8, token.utf8.allSatisfy(isAlphanumeric) else {
            throw SettingError(
                "the Backtrace token must be letters and digits: copy it from the project's"
                    + " settings, Error submission > Submission tokens")
        }
        url = try UploadURL(
            "https://submit.backtrace.io/\(universe)/\(token)/minidump",
            of: "the Backtrace universe")
        secrets = Secrets(url.secrets + [token])
    }

    /// - Parameter url: `https://submit.backtrace.io/UNIVERSE/TOKEN/minidump`, or on your own
    ///   server `https://HOST:6098/post?format=minidump&token=TOKEN`.
    package init(url: UploadURL) throws(SettingError) {
        let parts = url.path.split(separator: "/")
        if url.host == "submit.backtrace.io", parts.count != 3 || parts.last != "minidump" {
            throw SettingError(
                "the Backtrace URL must be https://submit.backtrace.io/UNIVERSE/TOKEN/minidump")
        }
        if url.query.has("format="), !url.query.has("format=minidump") {
            throw SettingError("the Backtrace URL must have format=minidump in its query")
        }
        self.url = url
        // The format is not a secret, and Backtrace's refusals contain the word.
        secrets = Secrets(url.secrets.filter { $0 != "minidump" })
    }

    package var server: String { url.server }

    package var identity: DestinationIdentity { DestinationIdentity(["backtrace", url.text]) }

    package func request(
        for report: OutgoingReport, random: inout some RandomNumberGenerator
    ) throws(TransportError) -> UploadRequest {
        // Every value becomes an attribute with its name. Backtrace counts clients by `guid`.
        var form = ReportForm(report).multipart(
            minidump: try report.minidump.opened(), uuid: report.uuid)
        if let breadcrumbs = BacktraceBreadcrumbs.file(of: report.breadcrumbs) {
            let name = BacktraceBreadcrumbs.fileName
            form.add(
                try breadcrumbs.opened(), as: "attachment_" + name, filename: name, type: .json)
        }
        for attachment in report.attachments {
            form.add(
                try attachment.content.opened(), as: "attachment_" + attachment.name,
                filename: attachment.name, type: attachment.type)
        }
        return try form.request(
            to: url, compression: compression, timeLimits: timeLimits, secrets: secrets,
            random: &random)
    }

    /// Backtrace says in its answer whether it accepted a report: `{"response":"ok","_rxid":"…"}`.
    package func meaning(of response: UploadResponse, now: Timestamp) -> AnswerMeaning {
        if response.isSuccess, let word = JSONAnswer(response)?["response"], word != "ok" {
            return .refused
        }
        return AnswerMeaning(response, now: now)
    }

    package func serverID(in response: UploadResponse) -> String {
        JSONAnswer(response)?["_rxid"]?.oneLine() ?? ""
    }
}
