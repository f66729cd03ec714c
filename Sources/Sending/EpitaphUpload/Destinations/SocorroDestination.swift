// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

/// A collector of Mozilla's Socorro: "Specification: Submitting crash reports",
/// socorro.readthedocs.io/en/latest/spec_crashreport.html.
package struct SocorroDestination: ReportDestination {
    package var compression = BodyCompression.gzip
    package var timeLimits = TimeLimits()
    private let url: UploadURL

    /// - Parameter url: usually `https://HOST/submit`.
    package init(url: UploadURL) {
        self.url = url
    }

    package var server: String { url.server }

    package var identity: DestinationIdentity { DestinationIdentity(["socorro", url.text]) }

    package func request(
        for report: OutgoingReport, random: inout some RandomNumberGenerator
    ) throws(TransportError) -> UploadRequest {
        var form = MultipartForm()
        for (name, value) in Self.values(of: report) { form.set(name, to: value) }
        form.set(
            ReportForm.minidumpName, to: try report.minidump.opened(), filename: report.fileName)
        for attachment in report.attachments {
            // The collector takes a file of any other type for an annotation.
            form.add(
                try attachment.content.opened(), as: Self.fieldName(ofFile: attachment.name),
                filename: Self.ascii(attachment.name), type: .bytes)
        }
        return try form.request(
            to: url, compression: compression, timeLimits: timeLimits,
            secrets: Secrets(url.secrets), random: &random)
    }

    /// A collector also answers 200 to reports it discards: `Discarded=RULE`.
    package func meaning(of response: UploadResponse, now: Timestamp) -> AnswerMeaning {
        if response.isSuccess, Self.value("Discarded", in: response) != nil { return .refused }
        return AnswerMeaning(response, now: now)
    }

    /// The crash id, `bp-d101d046-638f-42e0-902d-bd245c200115`; without one, the whole answer.
    package func serverID(in response: UploadResponse) -> String {
        Self.value("CrashID", in: response)?.oneLine() ?? response.words
    }

    /// Our names for the values by which Socorro groups reports, the most specific first.
    private static let names = [
        "ProductName": ["ProductName", "prod"], "Version": ["Version", "ver"],
        "BuildID": ["BuildID", "build_id", "build"],
        "ReleaseChannel": ["ReleaseChannel", "channel"],
    ]

    private static func values(of report: OutgoingReport) -> [String: String] {
        var rest = ReportForm(report).values
        // The collector would file the report under this id instead of one that it makes.
        rest["uuid"] = nil
        var values: [String: String] = [:]
        for (name, sources) in names {
            values[name] = sources.lazy.compactMap { rest[$0] }.first
            // A source with another value is an ordinary annotation.
            for source in sources where rest[source] == values[name] { rest[source] = nil }
        }
        for (name, value) in rest where values[ascii(name)] == nil { values[ascii(name)] = value }
        return values
    }

    /// The collector's own names: such a file would replace one, or cause the report to be refused.
    /// antenna/ext/crashstorage_base.py, breakpad_resource.py of mozilla-services/antenna.
    private static let collectorNames: Set<String> = [
        "raw_crash", "dump_names", "dump", "dump_checksums", "crash_report", "processed_crash",
        "upload_file_minidump",
    ]

    /// The collector keeps only letters, digits and underscores, so other names would be equal.
    private static func fieldName(ofFile name: String) -> String {
        let plain = String(
            String.UnicodeScalarView(
                name.unicodeScalars.map { scalar in
                    scalar.isASCII && (scalar == "_" || isAlphanumeric(UInt8(scalar.value)))
                        ? scalar : "_"
                }))
        return collectorNames.contains(plain) ? "attachment_" + plain : plain
    }

    private static func ascii(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.map { $0.isASCII ? $0 : "_" }))
    }

    private static func value(_ name: String, in response: UploadResponse) -> String? {
        let lines = response.text.split(whereSeparator: \.isNewline)
        return lines.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }
}
