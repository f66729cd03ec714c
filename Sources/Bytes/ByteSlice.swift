// SPDX-License-Identifier: Apache-2.0

/// Keeps the memory alive that `ByteSlice` values point into: an array, a file's bytes.
public protocol ByteOwner: AnyObject, Sendable {
    /// The whole memory. Fixed and readable for as long as the owner lives; what is in it is the
    /// contents from `prepare` on.
    var bytes: UnsafeRawBufferPointer { get }

    /// Sees to it that the bytes of `range` (offsets into `bytes`) are there. Called before each
    /// look at them.
    func prepare(_ range: Range<Int>)

    /// Copies the bytes of `range`, which is as long as `target`, to memory of the caller.
    func copy(_ range: Range<Int>, to target: UnsafeMutableRawBufferPointer)

    /// States that the bytes of `range` will not be needed again soon, and that nothing looks at
    /// them at this moment. They come back when they are asked for.
    func forget(_ range: Range<Int>)

    /// Why bytes that were asked for are zeros instead of the contents, as a clause; nil as long as
    /// all were there.
    var readProblem: String? { get }
}

extension ByteOwner {
    public func prepare(_ range: Range<Int>) {}

    public func copy(_ range: Range<Int>, to target: UnsafeMutableRawBufferPointer) {
        prepare(range)
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
    }

    public func forget(_ range: Range<Int>) {}

    public var readProblem: String? { nil }
}

/// An immutable run of bytes that shares its memory: cutting a slice never copies.
public struct ByteSlice: Sendable {
    private let owner: any ByteOwner
    /// Where the slice lies in its owner's memory: for a file, the file offsets.
    public let range: Range<Int>

    public init(owner: any ByteOwner) {
        self.owner = owner
        self.range = 0..<owner.bytes.count
    }

    public init(_ array: [UInt8]) {
        self.init(owner: ArrayOwner(array))
    }

    private init(owner: any ByteOwner, range: Range<Int>) {
        self.owner = owner
        self.range = range
    }

    public static var empty: ByteSlice { ByteSlice([]) }

    /// Records whose bytes these are, for as long as they are kept.
    public var ownerIdentity: ObjectIdentifier { ObjectIdentifier(owner) }

    public var count: Int { range.count }
    public var isEmpty: Bool { range.isEmpty }

    /// The byte at `offset` from the start of this slice, or nil past its end.
    public func byte(at offset: Int) -> UInt8? {
        guard offset >= 0, offset < count else { return nil }
        let start = range.lowerBound + offset
        owner.prepare(start..<start + 1)
        return owner.bytes[start]
    }

    /// The little-endian integer at `offset` from the start of this slice, or nil where it does not
    /// lie in it.
    public func load<Value: FixedWidthInteger>(
        at offset: Int, as type: Value.Type = Value.self
    ) -> Value? {
        guard offset >= 0, offset <= count - MemoryLayout<Value>.size else { return nil }
        return value(at: offset, as: type)
    }

    /// As `load` for an offset that is known to be inside. Called for every number that is read:
    /// an optional of a generic type would take most of the time.
    func value<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type) -> Value {
        let start = range.lowerBound + offset
        owner.prepare(start..<start + MemoryLayout<Value>.size)
        return Value(littleEndian: owner.bytes.loadUnaligned(fromByteOffset: start, as: type))
    }

    /// The part from `offset` on, at most `length` bytes long; clipped to this slice, never out of
    /// it.
    public func slice(from offset: Int, length: Int = .max) -> ByteSlice {
        let start = min(max(offset, 0), count)
        let end = start + min(max(length, 0), count - start)
        return ByteSlice(
            owner: owner, range: range.lowerBound + start..<range.lowerBound + end)
    }

    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        owner.prepare(range)
        return try body(UnsafeRawBufferPointer(rebasing: owner.bytes[range]))
    }

    /// See `ByteOwner.forget`.
    public func forget() {
        owner.forget(range)
    }

    /// Copies the bytes to memory of the caller, which has `count` bytes.
    public func copy(to target: UnsafeMutableRawBufferPointer) {
        owner.copy(range, to: target)
    }

    /// See `ByteOwner.readProblem`; that of all slices of the same bytes.
    public var readProblem: String? { owner.readProblem }

    /// A copy of the bytes.
    public var array: [UInt8] {
        withUnsafeBytes { Array($0) }
    }

    /// The bytes as UTF-8 text; what is not UTF-8 becomes U+FFFD.
    public var text: String {
        withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}

extension ByteSlice: Equatable {
    public static func == (left: ByteSlice, right: ByteSlice) -> Bool {
        left.withUnsafeBytes { leftBytes in
            right.withUnsafeBytes { rightBytes in leftBytes.elementsEqual(rightBytes) }
        }
    }
}

// Sendable: the memory is written once, before anyone else can see the object.
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
