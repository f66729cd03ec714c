// SPDX-License-Identifier: Apache-2.0

@usableFromInline
package struct TruncatedRead: Error, Equatable, CustomStringConvertible {
    package let offset: Int
    package let neededCount: Int
    package let availableCount: Int

    @usableFromInline
    package init(offset: Int, neededCount: Int, availableCount: Int) {
        self.offset = offset
        self.neededCount = neededCount
        self.availableCount = availableCount
    }

    @usableFromInline
    package var description: String {
        "\(neededCount) bytes wanted at offset \(offset), \(availableCount) left"
    }
}

/// Reads little-endian values front to back, never outside the slice.
@usableFromInline
package struct ByteCursor: Sendable {
    @usableFromInline
    package let slice: ByteSlice
    @usableFromInline
    package internal(set) var offset: Int

    @inlinable
    package init(_ slice: ByteSlice, offset: Int = 0) {
        self.slice = slice
        self.offset = min(max(offset, 0), slice.count)
    }

    @inlinable
    package var remainingCount: Int { slice.count - offset }
    @inlinable
    package var isAtEnd: Bool { remainingCount == 0 }

    @inlinable
    package mutating func read<Value: FixedWidthInteger>(
        _ type: Value.Type = Value.self
    ) throws(TruncatedRead) -> Value {
        let size = MemoryLayout<Value>.size
        try require(size)
        defer { offset += size }
        return slice.value(at: offset, as: Value.self)
    }

    @inlinable
    package mutating func readSlice(count: Int) throws(TruncatedRead) -> ByteSlice {
        try require(count)
        defer { offset += count }
        return slice.slice(from: offset, length: count)
    }

    package mutating func readRest() -> ByteSlice {
        defer { offset = slice.count }
        return slice.slice(from: offset)
    }

    @inlinable
    package mutating func skip(_ count: Int) throws(TruncatedRead) {
        try require(count)
        offset += count
    }

    @inlinable
    func require(_ count: Int) throws(TruncatedRead) {
        guard count >= 0, count <= remainingCount else {
            throw TruncatedRead(
                offset: offset, neededCount: count, availableCount: remainingCount)
        }
    }
}
