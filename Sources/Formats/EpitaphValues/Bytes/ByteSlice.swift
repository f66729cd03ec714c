// SPDX-License-Identifier: Apache-2.0

/// Owns the memory that `ByteSlice` values point into: an array's bytes, a file's bytes.
package protocol ByteOwner: AnyObject, Sendable {
    /// The whole memory. It is readable and does not move while the owner lives. Its contents are
    /// valid after `prepare`.
    var bytes: UnsafeRawBufferPointer { get }

    /// Makes the bytes of `range` (offsets into `bytes`) valid. Called before each access to them.
    func prepare(_ range: Range<Int>)

    /// Copies the bytes of `range`, which is as long as `target`, to memory of the caller.
    func copy(_ range: Range<Int>, to target: UnsafeMutableRawBufferPointer)

    /// States that the bytes of `range` are not needed for now and that nothing is reading them at
    /// the moment. The next `prepare` brings them back.
    func forget(_ range: Range<Int>)

    /// Why some bytes read as zeros instead of the contents, as a clause; nil as long as all could
    /// be read.
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

/// An immutable run of bytes that shares its memory: cutting a slice never copies.
package struct ByteSlice: Sendable {
    private let owner: any ByteOwner
    /// Where the slice lies in its owner's memory: for a file, the file offsets.
    package let range: Range<Int>

    /// All of the owner's memory.
    package init(owner: any ByteOwner) {
        self.owner = owner
        self.range = 0..<owner.bytes.count
    }

    /// A copy of the array's bytes.
    package init(_ array: [UInt8]) {
        self.init(owner: ArrayOwner(array))
    }

    private init(owner: any ByteOwner, range: Range<Int>) {
        self.owner = owner
        self.range = range
    }

    /// No bytes; each one has an owner of its own.
    package static var empty: ByteSlice { ByteSlice([]) }

    /// Identifies the owner of the bytes, which stays the same as long as any slice of them exists.
    package var ownerIdentity: ObjectIdentifier { ObjectIdentifier(owner) }

    /// In bytes.
    package var count: Int { range.count }
    /// Whether `count` is 0.
    package var isEmpty: Bool { range.isEmpty }

    /// The byte at `offset` from the start of this slice, or nil past its end.
    package func byte(at offset: Int) -> UInt8? {
        guard offset >= 0, offset < count else { return nil }
        let start = range.lowerBound + offset
        owner.prepare(start..<start + 1)
        return owner.bytes[start]
    }

    /// The little-endian integer at `offset` from the start of this slice; nil if it is not wholly
    /// inside.
    package func load<Value: FixedWidthInteger>(
        at offset: Int, as type: Value.Type = Value.self
    ) -> Value? {
        guard offset >= 0, offset <= count - MemoryLayout<Value>.size else { return nil }
        return value(at: offset, as: type)
    }

    /// Like `load` for an offset that is known to be inside. It is called for every number that is
    /// read, and an optional of a generic type would take most of the time.
    func value<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type) -> Value {
        let start = range.lowerBound + offset
        owner.prepare(start..<start + MemoryLayout<Value>.size)
        return Value(littleEndian: owner.bytes.loadUnaligned(fromByteOffset: start, as: type))
    }

    /// The part from `offset` on, at most `length` bytes long, clipped to this slice.
    package func slice(from offset: Int, length: Int = .max) -> ByteSlice {
        let start = min(max(offset, 0), count)
        let end = start + min(max(length, 0), count - start)
        return ByteSlice(
            owner: owner, range: range.lowerBound + start..<range.lowerBound + end)
    }

    /// Calls `body` with the bytes, valid for the call only. They are prepared first.
    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        owner.prepare(range)
        return try body(UnsafeRawBufferPointer(rebasing: owner.bytes[range]))
    }

    /// See `ByteOwner.forget`.
    package func forget() {
        owner.forget(range)
    }

    /// Copies the bytes to the caller's memory, which must have room for `count` bytes.
    package func copy(to target: UnsafeMutableRawBufferPointer) {
        owner.copy(range, to: target)
    }

    /// See `ByteOwner.readProblem`; it covers all slices of the same owner.
    package var readProblem: String? { owner.readProblem }

    /// A copy of the bytes.
    package var array: [UInt8] {
        withUnsafeBytes { Array($0) }
    }

    /// The bytes as UTF-8 text; invalid UTF-8 becomes U+FFFD.
    package var text: String {
        withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}

extension ByteSlice: Equatable {
    package static func == (left: ByteSlice, right: ByteSlice) -> Bool {
        left.withUnsafeBytes { leftBytes in
            right.withUnsafeBytes { rightBytes in leftBytes.elementsEqual(rightBytes) }
        }
    }
}

// Sendable: the memory is written once, before the object can be seen elsewhere.
private final class ArrayOwner: ByteOwner, @unchecked Sendable {
    // The array's own buffer may move when it is bridged or copied, so the bytes get memory of
    // their own.
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
