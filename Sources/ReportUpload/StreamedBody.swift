// SPDX-License-Identifier: Apache-2.0

import Bytes

/// Bytes in memory and files on disk, one after the other. Files are read as the body is; memory
/// use does not grow with their size.
public final class StreamedBody: BodySource {
    public enum Piece: Sendable {
        case bytes(ByteSlice)
        case file(BodyFile)
        case reader(any ContentReader)
    }

    public let contentLength: Int
    private let pieces: [Piece]
    private var index = 0
    /// Counted from the start of the piece.
    private var offset = 0

    public init(_ pieces: [Piece]) {
        self.pieces = pieces
        contentLength = pieces.reduce(0) { sum, piece in
            let (total, overflow) = sum.addingReportingOverflow(piece.count)
            return overflow ? .max : total
        }
    }

    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
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

    public func rewind() {
        index = 0
        offset = 0
    }
}

extension StreamedBody.Piece {
    var count: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(let file): file.size
        case .reader(let reader): reader.byteCount
        }
    }

    /// Reads at least one byte; `buffer` is not empty and ends inside the piece.
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
