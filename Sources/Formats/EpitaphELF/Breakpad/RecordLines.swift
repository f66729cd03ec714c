// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The lines of a symbol file from an offset on, read in pieces: such files have gigabytes, and
/// none of it is kept in memory.
enum RecordLines {
    /// Limit on the length of a record.
    static let mostLineBytes = 1 << 16

    /// Calls `body` with each line, without its end, and its offset, until it returns false.
    /// Returns the number of bytes read.
    ///
    /// - Parameters:
    ///   - pieceBytes: bytes to read at once, at least the length of a line.
    ///   - limit: the most bytes to read.
    @discardableResult
    static func each(
        of file: ByteSlice, from start: Int, pieceBytes: Int, limit: Int = .max,
        _ body: (_ line: RecordFields, _ offset: Int) -> Bool
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
        _ body: (RecordFields, Int) -> Bool
    ) -> (used: Int, goesOn: Bool) {
        var start = 0
        while start < bytes.count {
            guard let end = newline(in: bytes, from: start) else {
                guard isLast else { break }
                let line = UnsafeRawBufferPointer(rebasing: bytes[start...])
                return (bytes.count, body(RecordFields(line), offset + start))
            }
            let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            guard body(RecordFields(line), offset + start) else { return (end + 1, false) }
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

/// The words of a line, from the left.
struct RecordFields {
    private var rest: UnsafeRawBufferPointer

    init(_ line: UnsafeRawBufferPointer) {
        let ends = line.last == UInt8(ascii: "\r")
        rest = ends ? UnsafeRawBufferPointer(rebasing: line.dropLast()) : line
    }

    /// Nil for an empty line.
    var first: UInt8? { rest.first }

    /// Takes the next word if it is this one.
    mutating func take(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard rest.count >= count, rest.count == count || rest[count] == UInt8(ascii: " "),
            zip(rest, UnsafeBufferPointer(start: word.utf8Start, count: count))
                .prefix(count).allSatisfy({ $0 == $1 })
        else { return false }
        drop(count)
        return true
    }

    mutating func takeHexadecimal() -> UInt64? { takeNumber(radix: 16) }

    mutating func takeDecimal() -> UInt64? { takeNumber(radix: 10) }

    private mutating func takeNumber(radix: UInt64) -> UInt64? {
        var value: UInt64 = 0
        var count = 0
        while count < rest.count, rest[count] != UInt8(ascii: " ") {
            guard let digit = Self.digit(rest[count]), digit < radix else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: radix)
            guard !overflow else { return nil }
            let (sum, exceeds) = product.addingReportingOverflow(digit)
            guard !exceeds else { return nil }
            value = sum
            count += 1
        }
        guard count > 0 else { return nil }
        drop(count)
        return value
    }

    private static func digit(_ byte: UInt8) -> UInt64? {
        switch byte {
        case 0x30...0x39: UInt64(byte - 0x30)
        case 0x41...0x46: UInt64(byte - 0x41 + 10)
        case 0x61...0x66: UInt64(byte - 0x61 + 10)
        default: nil
        }
    }

    /// The rest, as text.
    var remainder: String { String(decoding: rest, as: UTF8.self) }

    /// Takes a single `m`, the mark of code shared by several functions.
    mutating func takeMark() { _ = take("m") }

    private mutating func drop(_ count: Int) {
        var start = count
        while start < rest.count, rest[start] == UInt8(ascii: " ") { start += 1 }
        rest = UnsafeRawBufferPointer(rebasing: rest[start...])
    }
}
