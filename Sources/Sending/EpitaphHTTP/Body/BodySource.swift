// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// The bytes of a request's body, read front to back, as often as needed, a buffer at a time.
    public protocol BodySource: AnyObject {
        /// The value of Content-Length.
        var contentLength: Int { get }

        /// Fills `buffer` with the next bytes and returns their number: fewer than it holds only at
        /// the end, then 0; `contentLength` bytes in all. A changed file is an error.
        func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int

        /// Goes back to the first byte, for a redirect or a connection that was closed.
        func rewind() throws(TransportError)
    }
}

extension BodySource {
    package func readAll() throws(TransportError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: contentLength)
        var failure: TransportError?
        let count = bytes.withUnsafeMutableBytes { buffer -> Int in
            do throws(TransportError) {
                return try read(into: buffer)
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        return Array(bytes.prefix(count))
    }
}

/// Bytes in memory and files on disk, one after the other. Files are read while the body is sent.
package final class StreamedBody: BodySource {
    package enum Piece: Sendable {
        case bytes(ByteSlice)
        case file(BodyFile)
        /// Bytes produced while they are sent.
        case reader(any ContentReader)
    }

    package let contentLength: Int
    private let pieces: [Piece]
    private var index = 0
    /// Counted from the start of the piece.
    private var offset = 0

    package init(_ pieces: [Piece]) {
        self.pieces = pieces
        contentLength = pieces.reduce(0) { $0.addingClamped($1.count) }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        var filled = 0
        while filled < buffer.count, index < pieces.count {
            let left = pieces[index].count - offset
            guard left > 0 else {
                index += 1
                offset = 0
                continue
            }
            let end = filled + min(left, buffer.count - filled)
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<end])
            let count = try pieces[index].read(into: room, at: offset)
            filled += count
            offset += count
        }
        return filled
    }

    package func rewind() {
        index = 0
        offset = 0
    }
}

extension StreamedBody.Piece {
    package var count: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(let file): file.size
        case .reader(let reader): reader.byteCount
        }
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(TransportError) -> Int {
        switch self {
        case .bytes(let bytes):
            bytes.slice(from: offset).withUnsafeBytes { source in
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<buffer.count]))
            }
            return buffer.count
        case .file(let file):
            return try file.read(into: buffer, at: offset)
        case .reader(let reader):
            return try reader.read(into: buffer, at: offset)
        }
    }
}
