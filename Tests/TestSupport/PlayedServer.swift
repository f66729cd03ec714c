// SPDX-License-Identifier: Apache-2.0

import ReportUpload

/// A transport that reads each request's body to its end and gives the prepared answer. For one
/// thread at a time.
public final class PlayedServer: Transport {
    /// A request as it arrived.
    public struct Request {
        public let method: UploadRequest.Method
        public let url: String
        /// By name in lower case.
        public let headers: [String: String]
        public let body: [UInt8]

        public var text: String { String(decoding: body, as: UTF8.self) }
    }

    public private(set) var requests: [Request] = []
    /// Asked once the body has been read.
    public var answer: (Request) throws(TransportError) -> UploadResponse = { _ in
        UploadResponse(status: 200)
    }
    /// Called before the body is read.
    public var beforeBody: () -> Void = {}

    public init() {}

    public var texts: [String] { requests.map(\.text) }
    public var bodies: [[UInt8]] { requests.map(\.body) }

    /// Fails for a body that is not as long as the request said.
    public func send(_ request: UploadRequest) throws(TransportError) -> UploadResponse {
        beforeBody()
        var body: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_000, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            let count = try request.body.read(into: buffer)
            guard count > 0 else { break }
            body += buffer[..<count]
        }
        guard body.count == request.body.contentLength else {
            throw .bodyUnreadable(reason: "it has \(body.count) bytes and not as many as it said")
        }
        let received = Request(
            method: request.method, url: request.url.text,
            headers: Dictionary(
                request.headers.map { ($0.name.lowercased(), $0.value) },
                uniquingKeysWith: { $0 + ", " + $1 }),
            body: body)
        requests.append(received)
        return try answer(received)
    }

    /// Answers with these, and with 200 from then on.
    public func answer(_ responses: UploadResponse...) {
        var left = responses[...]
        answer = { _ in left.popFirst() ?? UploadResponse(status: 200) }
    }
}
