// SPDX-License-Identifier: Apache-2.0

/// Takes bytes in order: a file, an array, a checksum.
public protocol ByteSink {
    associatedtype Failure: Error

    /// Appends all of `bytes` or throws; nothing is kept of the pointer.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(Failure)

    /// Appends all of `slices`, one behind the other. For sinks that take many pieces at less cost
    /// than each by itself.
    mutating func append(all slices: [ByteSlice]) throws(Failure)
}

extension ByteSink {
    public mutating func append(all slices: [ByteSlice]) throws(Failure) {
        for slice in slices { try append(slice) }
    }

    public mutating func append(_ slice: ByteSlice) throws(Failure) {
        try slice.withUnsafeBytes { bytes throws(Failure) in try append(bytes) }
    }

    public mutating func append(_ array: [UInt8]) throws(Failure) {
        // withUnsafeBytes of Array has no typed throws; a slice has.
        try append(ByteSlice(array))
    }
}

/// Bytes put together in memory, all integers little-endian.
public struct ByteBuilder: ByteSink, Sendable {
    public private(set) var bytes: [UInt8] = []

    public init() {}

    public var count: Int { bytes.count }

    public mutating func append(_ more: UnsafeRawBufferPointer) throws(Never) {
        bytes.append(contentsOf: more)
    }

    public mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    public mutating func append<Value: FixedWidthInteger>(_ value: Value) {
        Swift.withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    public mutating func appendZeros(_ count: Int) {
        bytes.append(contentsOf: repeatElement(0, count: max(count, 0)))
    }

    /// Writes `value` over the bytes at `offset`, which must be there already.
    public mutating func overwrite<Value: FixedWidthInteger>(at offset: Int, with value: Value) {
        Swift.withUnsafeBytes(of: value.littleEndian) { source in
            bytes.replaceSubrange(offset..<offset + source.count, with: source)
        }
    }
}
