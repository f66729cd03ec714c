// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// How a body is sent.
    public enum BodyCompression: Sendable {
        /// With `Content-Encoding: gzip`, RFC 9110 8.4.1.3.
        case gzip
        case none

        package func applied(
            to plain: any BodySource
        ) throws(TransportError) -> (body: any BodySource, headers: [HTTPHeader]) {
            switch self {
            case .gzip: (try GzipBody(compressing: plain), [.gzipEncoded])
            case .none: (plain, [])
            }
        }
    }
}

/// A compressed body whose exact length is known before the first byte is sent: a first pass
/// counts. A result within `keepLimit` is sent from memory; a larger body is compressed a second
/// time while it is sent. docs/decisions/delivery.md
package final class GzipBody: BodySource {
    package let contentLength: Int
    private let stream: GzipStream
    /// The whole compressed body, if it is small.
    private let kept: [UInt8]?
    private var position = 0

    /// - Parameters:
    ///   - source: read to its end here, and once more for each time a large body is sent.
    ///   - keepLimit: in bytes, compressed.
    ///   - seeing: gets each compressed byte of the first pass.
    package init(
        compressing source: any BodySource, keepLimit: Int = 1 << 20,
        seeing: (UnsafeRawBufferPointer) throws(TransportError) -> Void = { _ in }
    ) throws(TransportError) {
        stream = try GzipStream(source)
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { chunk.deallocate() }
        var small: [UInt8]? = []
        var total = 0
        while true {
            let count = try stream.read(into: chunk)
            guard count > 0 else { break }
            total += count
            try seeing(UnsafeRawBufferPointer(rebasing: chunk[..<count]))
            if total > keepLimit { small = nil }
            small?.append(contentsOf: chunk[..<count])
        }
        kept = small
        contentLength = total
        if small == nil { try stream.restart() }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        let count: Int
        if let kept {
            count = min(buffer.count, kept.count - position)
            buffer.copyBytes(from: kept[position..<position + count])
        } else {
            count = try stream.read(into: buffer)
            let (end, _) = position.addingReportingOverflow(count)
            let isWhole = end == contentLength ? try isStreamAtEnd() : false
            guard isWhole || end < contentLength && count == buffer.count else {
                throw .bodyUnreadable(
                    reason: "the report's files changed while they were being sent")
            }
        }
        position += count
        return count
    }

    private func isStreamAtEnd() throws(TransportError) -> Bool {
        let byte = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
        defer { byte.deallocate() }
        return try stream.read(into: byte) == 0
    }

    package func rewind() throws(TransportError) {
        position = 0
        if kept == nil { try stream.restart() }
    }
}
