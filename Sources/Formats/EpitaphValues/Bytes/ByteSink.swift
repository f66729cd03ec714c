// SPDX-License-Identifier: Apache-2.0

/// Takes bytes in order: a file, an array, a checksum.
package protocol ByteSink {
    /// What can go wrong; `Never` for a sink in memory.
    associatedtype Failure: Error

    /// Appends all of `bytes` or throws; keeps no pointer to them.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(Failure)

    /// Appends all of `slices`, one after the other, for sinks that write many pieces together at
    /// less cost than one by one.
    mutating func append(all slices: [ByteSlice]) throws(Failure)
}

extension ByteSink {
    package mutating func append(all slices: [ByteSlice]) throws(Failure) {
        for slice in slices { try append(slice) }
    }

    /// Appends all bytes of the slice or throws.
    package mutating func append(_ slice: ByteSlice) throws(Failure) {
        try slice.withUnsafeBytes { bytes throws(Failure) in try append(bytes) }
    }

    /// Appends all bytes of the array or throws.
    package mutating func append(_ array: [UInt8]) throws(Failure) {
        // Array's withUnsafeBytes has no typed throws, a slice's has.
        try append(ByteSlice(array))
    }
}

/// Bytes put together in memory, all integers little-endian.
package struct ByteBuilder: ByteSink, Sendable {
    /// Everything appended so far.
    package private(set) var bytes: [UInt8] = []

    /// Empty.
    package init() {}

    /// In bytes; also the offset where the next append writes.
    package var count: Int { bytes.count }

    package mutating func append(_ more: UnsafeRawBufferPointer) throws(Never) {
        bytes.append(contentsOf: more)
    }

    /// Appends the text's UTF-8, without a length or an end mark.
    package mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Appends the integers, lowest byte first, each in as many bytes as its type has.
    package mutating func append<each Value: FixedWidthInteger>(_ value: repeat each Value) {
        for value in repeat each value {
            Swift.withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
        }
    }

    /// Appends `count` bytes of 0.
    package mutating func appendZeros(_ count: Int) {
        bytes.append(contentsOf: repeatElement(0, count: max(count, 0)))
    }

    /// Writes `value`, lowest byte first, over the bytes at `offset`, which must already be there.
    package mutating func overwrite<Value: FixedWidthInteger>(at offset: Int, with value: Value) {
        Swift.withUnsafeBytes(of: value.littleEndian) { source in
            bytes.replaceSubrange(offset..<offset + source.count, with: source)
        }
    }
}
