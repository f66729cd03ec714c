// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

/// A collector that takes reports as Crashpad and Breakpad send them: one multipart POST each.
package struct UploadDestination: ReportDestination {
    package var url: UploadURL
    /// Where the server finds product, version and installation.
    package var identification: Identification = .inURL
    package var compression: Compression = .gzip
    package var timeLimits = TimeLimits()

    /// Where the server finds product, version and installation.
    package enum Identification: Sendable {
        /// Also in the URL's query, as `product`, `version` and `guid`.
        case inURL
        case inFormOnly
    }

    package typealias Compression = BodyCompression

    package init(_ url: UploadURL) {
        self.url = url
    }

    package var server: String { url.server }

    package var identity: DestinationIdentity { DestinationIdentity(["crashpad", url.text]) }

    /// Reads the files in full to compress them. Parts are named after the report or attachment.
    package func request(
        for report: OutgoingReport, random: inout some RandomNumberGenerator
    ) throws(TransportError) -> UploadRequest {
        let form = ReportForm(report)
        var parts = form.multipart(minidump: try report.minidump.opened(), uuid: report.uuid)
        for attachment in report.attachments {
            parts.add(
                try attachment.content.opened(), as: attachment.name, filename: attachment.name,
                type: attachment.type)
        }
        return try request(parts, form.urlParameters, random: &random)
    }

    private func request(
        _ parts: MultipartForm, _ parameters: [(name: String, value: String)],
        random: inout some RandomNumberGenerator
    ) throws(TransportError) -> UploadRequest {
        // The parameters are not secrets, and their values are ordinary words.
        try parts.request(
            to: identification == .inURL ? url.adding(parameters) : url, compression: compression,
            timeLimits: timeLimits, secrets: Secrets(url.secrets), random: &random)
    }

    /// Without attachments. The minidump is read while sent, and here to be compressed.
    package func request(
        form: ReportForm, minidump: BodyFile, uuid: Epitaph.ID,
        random: inout some RandomNumberGenerator
    ) throws(TransportError) -> UploadRequest {
        try request(
            form.multipart(minidump: minidump, uuid: uuid), form.urlParameters, random: &random)
    }
}
