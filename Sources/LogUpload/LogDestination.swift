// SPDX-License-Identifier: Apache-2.0

import ReportUpload

/// Where logs go: makes the request that carries one.
public protocol LogDestination: Sendable {
    /// Scheme, host and port, without credentials.
    var server: String { get }

    /// - Parameter body: the file's bytes as they are. Read while the request is sent.
    func request(
        for file: LogFile, _ form: LogForm, body: any BodySource
    ) throws(TransportError) -> UploadRequest
}

/// A destination that gets each log as the body of a request made from a template. `{uuid}` is the
/// log's id, `{file}` its name.
public struct TemplateDestination: LogDestination {
    public var template: RequestTemplate

    public init(_ template: RequestTemplate) {
        self.template = template
    }

    public var server: String { template.server }

    /// A text is compressed if the template says so. A log that a logger has compressed with gzip
    /// then goes out as what a text becomes, so the server need not tell them apart; any other
    /// compressed log, and each one where nothing is to be compressed, goes out as the file it is.
    public func request(
        for file: LogFile, _ form: LogForm, body: any BodySource
    ) throws(TransportError) -> UploadRequest {
        var template = template
        var isPacked = false
        if form != .plain {
            isPacked = form == .gzip && template.compression == .gzip
            template.compression = .none
        }
        var request = try template.request(
            body: body, type: isPacked ? .text : form.type,
            values: [.uuid: file.id.uuidString.lowercased(), .file: file.name])
        if isPacked { request.headers.append(.gzipEncoded) }
        return request
    }
}
