// SPDX-License-Identifier: Apache-2.0

/// Owns the memory that `ByteSlice` values point into: an array's bytes, a file's bytes.
@usableFromInline
package protocol ByteOwner: AnyObject, Sendable {
    /// Readable and at a fixed address while the owner lives. Contents are valid after `prepare`.
    var bytes: UnsafeRawBufferPointer { get }

    func prepare(_ range: Range<Int>)

    /// Copies `range` to the caller's memory, which has the same size.
    func copy(_ range: Range<Int>, to target: UnsafeMutableRawBufferPointer)

    /// States that nothing reads or needs `range` for now. The next `prepare` brings it back.
    func forget(_ range: Range<Int>)

    /// Why some bytes read as zeros instead of the contents, as a clause; nil if all could be read.
    var readProblem: String? { get }
}

extension ByteOwner {
    package func prepare(_ range: Range<Int>) {}

    package func copy(_ range: Range<Int>, to target: UnsafeMutableRawBufferPointer) {
        prepare(range)
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
    }

    package func forget(_ range: Range<Int>) {}

    package var readProblem: String? { nil }
}

/// An immutable run of bytes that shares its memory: slicing never copies.
///
/// Inlinable, as are `ByteCursor` and `ByteBuilder`: every number of a dump, a minidump and an ELF
/// file goes through them, and a generic function of another module is not specialised otherwise.
@usableFromInline
package struct ByteSlice: Sendable {
    @usableFromInline
    let owner: any ByteOwner
    /// The place in the owner's memory: for a file, the file offsets.
    @usableFromInline
    package let range: Range<Int>

    package init(owner: any ByteOwner) {
        self.owner = owner
        self.range = 0..<owner.bytes.count
    }

    package init(_ array: [UInt8]) {
        self.init(owner: ArrayOwner(array))
    }

    @usableFromInline
    init(owner: any ByteOwner, range: Range<Int>) {
        self.owner = owner
        self.range = range
    }

    package static var empty: ByteSlice { ByteSlice([]) }

    package var ownerIdentity: ObjectIdentifier { ObjectIdentifier(owner) }

    @inlinable
    package var count: Int { range.count }
    @inlinable
    package var isEmpty: Bool { range.isEmpty }

    /// Offset within this slice; nil past its end.
    @inlinable
    package func byte(at offset: Int) -> UInt8? {
        guard offset >= 0, offset < count else { return nil }
        let start = range.lowerBound + offset
        owner.prepare(start..<start + 1)
        return owner.bytes[start]
    }

    /// The little-endian integer at `offset` within this slice; nil if not wholly inside.
    @inlinable
    package func load<Value: FixedWidthInteger>(
        at offset: Int, as type: Value.Type = Value.self
    ) -> Value? {
        guard offset >= 0, offset <= count - MemoryLayout<Value>.size else { return nil }
        return value(at: offset, as: type)
    }

    /// Like `load`, but inside.
    @inlinable
    func value<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type) -> Value {
        let start = range.lowerBound + offset
        owner.prepare(start..<start + MemoryLayout<Value>.size)
        return Value(littleEndian: owner.bytes.loadUnaligned(fromByteOffset: start, as: type))
    }

    /// At most `length` bytes from `offset` on, clipped to this slice.
    @inlinable
    package func slice(from offset: Int, length: Int = .max) -> ByteSlice {
        let start = min(max(offset, 0), count)
        let end = start + min(max(length, 0), count - start)
        return ByteSlice(
            owner: owner, range: range.lowerBound + start..<range.lowerBound + end)
    }

    /// Prepares the bytes and calls `body` with them; the pointer is valid during the call.
    @inlinable
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        owner.prepare(range)
        return try body(UnsafeRawBufferPointer(rebasing: owner.bytes[range]))
    }

    package func forget() {
        owner.forget(range)
    }

    /// The target must have room for `count` bytes.
    package func copy(to target: UnsafeMutableRawBufferPointer) {
        owner.copy(range, to: target)
    }

    package var readProblem: String? { owner.readProblem }

    package var array: [UInt8] {
        withUnsafeBytes { Array($0) }
    }

    package var text: String {
        withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}

extension ByteSlice: Equatable {
    @usableFromInline
    package static func == (left: ByteSlice, right: ByteSlice) -> Bool {
        left.withUnsafeBytes { leftBytes in
            right.withUnsafeBytes { rightBytes in leftBytes.elementsEqual(rightBytes) }
        }
    }
}

// Sendable: the memory is written once, before the object is shared.
private final class ArrayOwner: ByteOwner, @unchecked Sendable {
    // An array's own buffer may move when bridged or copied, so the bytes are copied.
    let bytes: UnsafeRawBufferPointer

    init(_ array: [UInt8]) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: array.count, alignment: 16)
        memory.copyBytes(from: array)
        bytes = UnsafeRawBufferPointer(memory)
    }

    deinit {
        bytes.deallocate()
    }
}
