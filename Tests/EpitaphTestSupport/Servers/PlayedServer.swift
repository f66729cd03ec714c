// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP

/// A transport that reads each request's body to its end and gives the prepared answer. For one
/// thread at a time.
package final class PlayedServer: Transport {
    /// A request as it arrived.
    package struct Request {
        package let method: UploadRequest.Method
        package let url: String
        /// By name in lower case.
        package let headers: [String: String]
        package let body: [UInt8]

        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package private(set) var requests: [Request] = []
    /// Asked once the body has been read.
    package var answer: (Request) throws(TransportError) -> UploadResponse = { _ in
        UploadResponse(status: 200)
    }
    /// Called before the body is read.
    package var beforeBody: () -> Void = {}

    package init() {}

    package var texts: [String] { requests.map(\.text) }
    package var bodies: [[UInt8]] { requests.map(\.body) }

    /// Fails for a body that is not as long as the request said.
    package func send(_ request: UploadRequest) throws(TransportError) -> UploadResponse {
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
    package func answer(_ responses: UploadResponse...) {
        var left = responses[...]
        answer = { _ in left.popFirst() ?? UploadResponse(status: 200) }
    }
}
