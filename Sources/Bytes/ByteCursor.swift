// SPDX-License-Identifier: Apache-2.0

/// A read that asked for bytes the input does not have.
public struct TruncatedRead: Error, Equatable, CustomStringConvertible {
    /// Where the read began, counted from the start of the slice.
    public let offset: Int
    /// How many bytes the read wanted.
    public let neededCount: Int
    /// How many were left.
    public let availableCount: Int

    public init(offset: Int, neededCount: Int, availableCount: Int) {
        self.offset = offset
        self.neededCount = neededCount
        self.availableCount = availableCount
    }

    public var description: String {
        "\(neededCount) bytes wanted at offset \(offset), \(availableCount) left"
    }
}

/// Reads little-endian values from a slice, front to back, and can never leave it.
public struct ByteCursor: Sendable {
    public let slice: ByteSlice
    /// Where the next read begins, counted from the start of the slice; never past its end.
    public private(set) var offset: Int

    public init(_ slice: ByteSlice, offset: Int = 0) {
        self.slice = slice
        self.offset = min(max(offset, 0), slice.count)
    }

    public var remainingCount: Int { slice.count - offset }
    public var isAtEnd: Bool { remainingCount == 0 }

    /// Reads one little-endian integer. After an error the cursor is where it was.
    public mutating func read<Value: FixedWidthInteger>(
        _ type: Value.Type = Value.self
    ) throws(TruncatedRead) -> Value {
        let size = MemoryLayout<Value>.size
        try require(size)
        defer { offset += size }
        return slice.value(at: offset, as: Value.self)
    }

    /// Takes the next `count` bytes without copying them. After an error the cursor is where it
    /// was.
    public mutating func readSlice(count: Int) throws(TruncatedRead) -> ByteSlice {
        try require(count)
        defer { offset += count }
        return slice.slice(from: offset, length: count)
    }

    /// Takes all bytes up to the end.
    public mutating func readRest() -> ByteSlice {
        defer { offset = slice.count }
        return slice.slice(from: offset)
    }

    public mutating func skip(_ count: Int) throws(TruncatedRead) {
        try require(count)
        offset += count
    }

    private func require(_ count: Int) throws(TruncatedRead) {
        guard count >= 0, count <= remainingCount else {
            throw TruncatedRead(
                offset: offset, neededCount: count, availableCount: remainingCount)
        }
    }
}
