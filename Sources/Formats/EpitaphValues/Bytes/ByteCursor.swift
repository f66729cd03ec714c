// SPDX-License-Identifier: Apache-2.0

/// A read that asked for bytes the input does not have.
package struct TruncatedRead: Error, Equatable, CustomStringConvertible {
    /// Where the read began, counted from the start of the slice.
    package let offset: Int
    /// How many bytes the read asked for.
    package let neededCount: Int
    /// How many were left.
    package let availableCount: Int

    /// All in bytes, counted as in the properties.
    package init(offset: Int, neededCount: Int, availableCount: Int) {
        self.offset = offset
        self.neededCount = neededCount
        self.availableCount = availableCount
    }

    package var description: String {
        "\(neededCount) bytes wanted at offset \(offset), \(availableCount) left"
    }
}

/// Reads little-endian values from a slice, front to back, and can never leave it.
package struct ByteCursor: Sendable {
    /// What is read; `offset` counts from its start.
    package let slice: ByteSlice
    /// Where the next read begins, counted from the start of the slice; never past its end.
    package private(set) var offset: Int

    /// An offset outside the slice is moved to its nearest end.
    package init(_ slice: ByteSlice, offset: Int = 0) {
        self.slice = slice
        self.offset = min(max(offset, 0), slice.count)
    }

    /// In bytes.
    package var remainingCount: Int { slice.count - offset }
    /// Whether no bytes are left, so that any read but that of 0 bytes fails.
    package var isAtEnd: Bool { remainingCount == 0 }

    /// Reads one little-endian integer. After an error the cursor is where it was.
    package mutating func read<Value: FixedWidthInteger>(
        _ type: Value.Type = Value.self
    ) throws(TruncatedRead) -> Value {
        let size = MemoryLayout<Value>.size
        try require(size)
        defer { offset += size }
        return slice.value(at: offset, as: Value.self)
    }

    /// Returns the next `count` bytes without copying them. After an error the cursor is where it
    /// was.
    package mutating func readSlice(count: Int) throws(TruncatedRead) -> ByteSlice {
        try require(count)
        defer { offset += count }
        return slice.slice(from: offset, length: count)
    }

    /// Returns all bytes up to the end.
    package mutating func readRest() -> ByteSlice {
        defer { offset = slice.count }
        return slice.slice(from: offset)
    }

    /// Moves on by `count` bytes. Throws, and stays where it is, if so many are not left or `count`
    /// is negative.
    package mutating func skip(_ count: Int) throws(TruncatedRead) {
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
