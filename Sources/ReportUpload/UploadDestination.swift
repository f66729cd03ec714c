// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A collector that takes reports as Crashpad and Breakpad send them: one multipart POST each.
public struct UploadDestination: Sendable {
    public var url: UploadURL
    public var identification: Identification = .inURL
    public var compression: Compression = .gzip
    public var timeLimits = TimeLimits()

    public enum Identification: Sendable {
        /// `product`, `version` and `guid` are added to the URL's query as well.
        case inURL
        /// They are in the form only.
        case inFormOnly
    }

    public enum Compression: Sendable {
        case gzip
        case none
    }

    public init(_ url: UploadURL) {
        self.url = url
    }

    /// The request that carries one report. Opens the minidump, and reads it through when it is to
    /// be compressed.
    ///
    /// - Parameter uuid: names the minidump's file in the form.
    public func request(
        form: ReportForm, minidumpPath: String, uuid: UUID,
        random: inout some RandomNumberGenerator
    ) throws(TransportError) -> UploadRequest {
        let boundary = MultipartBoundary(using: &random)
        let minidump = try BodyFile(opening: minidumpPath)
        let plain = form.multipart(minidump: minidump, uuid: uuid).body(boundary: boundary)
        var headers = [HTTPHeader.contentType(.form(boundary: boundary))]
        var body: any BodySource = plain
        if compression == .gzip {
            headers.append(.gzipEncoded)
            body = try GzipBody(compressing: plain)
        }
        return UploadRequest(
            .post, to: identification == .inURL ? url.adding(form.urlParameters) : url,
            headers: headers, body: body, timeLimits: timeLimits)
    }
}
