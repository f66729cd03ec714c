// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The lines of a symbol file from an offset on, read in pieces: such files have gigabytes.
enum RecordLines {
    /// Limit on the length of a record.
    static let mostLineBytes = 1 << 16

    /// Calls `body` with each line, without its end, and its offset, until it returns false.
    /// Returns how many bytes it read, at most `limit`. `pieceBytes` hold a line.
    @discardableResult
    static func each(
        of file: ByteSlice, from start: Int, pieceBytes: Int, limit: Int = .max,
        _ body: (_ line: LineFields, _ offset: Int) -> Bool
    ) -> Int {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: pieceBytes, alignment: 16)
        defer { buffer.deallocate() }
        var offset = start
        var read = 0
        while offset < file.count, read < limit {
            let piece = file.slice(from: offset, length: min(pieceBytes, limit - read))
            let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer[..<piece.count])
            piece.copy(to: bytes)
            read += piece.count
            let isLast = offset + piece.count == file.count
            let (used, goesOn) = lines(of: UnsafeRawBufferPointer(bytes), at: offset, isLast, body)
            guard goesOn else { break }
            // A piece without a line end is part of an overlong line.
            offset += used > 0 ? used : piece.count
        }
        return read
    }

    private static func lines(
        of bytes: UnsafeRawBufferPointer, at offset: Int, _ isLast: Bool,
        _ body: (LineFields, Int) -> Bool
    ) -> (used: Int, goesOn: Bool) {
        var start = 0
        while start < bytes.count {
            guard let end = newline(in: bytes, from: start) else {
                guard isLast else { break }
                let line = UnsafeRawBufferPointer(rebasing: bytes[start...])
                return (bytes.count, body(LineFields(record: line), offset + start))
            }
            let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            guard body(LineFields(record: line), offset + start) else { return (end + 1, false) }
            start = end + 1
        }
        return (start, true)
    }

    private static func newline(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var index = start
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\n") { return index }
            index += 1
        }
        return nil
    }
}

extension LineFields {
    fileprivate init(record line: UnsafeRawBufferPointer) {
        let ends = line.last == UInt8(ascii: "\r")
        self.init(ends ? UnsafeRawBufferPointer(rebasing: line.dropLast()) : line)
    }

    /// Takes a single `m`, the mark of code shared by several functions.
    mutating func takeMark() { _ = take("m") }
}
