// SPDX-License-Identifier: Apache-2.0

@usableFromInline
package protocol ByteSink {
    /// `Never` for a sink in memory.
    associatedtype Failure: Error

    /// Appends all of `bytes` or throws; does not retain the pointer.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(Failure)
}

extension ByteSink {
    package mutating func append(_ slice: ByteSlice) throws(Failure) {
        try slice.withUnsafeBytes { bytes throws(Failure) in try append(bytes) }
    }

    package mutating func append(_ array: [UInt8]) throws(Failure) {
        // Unlike this, Array's withUnsafeBytes has no typed throws.
        try array.withUnsafeBufferPointer { bytes throws(Failure) in
            try append(UnsafeRawBufferPointer(bytes))
        }
    }
}

@usableFromInline
package struct ByteBuilder: ByteSink, Sendable {
    @usableFromInline
    package internal(set) var bytes: [UInt8] = []

    @usableFromInline
    package init() {}

    @inlinable
    package var count: Int { bytes.count }

    @inlinable
    package mutating func append(_ more: UnsafeRawBufferPointer) throws(Never) {
        bytes.append(contentsOf: more)
    }

    /// Without the copy that other sinks need.
    package mutating func append(_ more: [UInt8]) {
        bytes += more
    }

    package mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    @inlinable
    package mutating func append<Value: FixedWidthInteger>(_ value: Value) {
        Swift.withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    @inlinable
    package mutating func append<each Value: FixedWidthInteger>(_ value: repeat each Value) {
        repeat append(each value)
    }

    package mutating func appendZeros(_ count: Int) {
        bytes.append(contentsOf: repeatElement(0, count: max(count, 0)))
    }

    @inlinable
    package mutating func overwrite<Value: FixedWidthInteger>(at offset: Int, with value: Value) {
        Swift.withUnsafeBytes(of: value.littleEndian) { source in
            bytes.replaceSubrange(offset..<offset + source.count, with: source)
        }
    }
}
