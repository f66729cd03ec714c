// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Gathers pieces: thousands of register sets must not cost a system call each, and file systems
/// write a mebibyte in little more than half the time of sixteen parts of it. What is in a file is
/// read into the same memory again and again: new pages would take longer than reading and writing.
/// What was read of it before is released once it is written.
struct GatheringSink<Base: ByteSink> {
    private static var capacity: Int { 1 << 20 }
    /// Smaller pieces are taken from what was read of their file, with their neighbours.
    private static var smallByteCount: Int { 1 << 13 }

    private(set) var base: Base
    var pages = WrittenPages()
    private let gathered = Gathered(capacity: Self.capacity)

    init(_ base: Base) {
        self.base = base
    }

    mutating func append(_ slice: ByteSlice) throws(Base.Failure) {
        for offset in stride(from: 0, to: slice.count, by: Self.capacity) {
            let part = slice.slice(from: offset, length: Self.capacity)
            if part.count > gathered.room { try flush() }
            if part.count > Self.smallByteCount {
                part.copy(to: gathered.extended(by: part.count))
                pages.add(part)
            } else {
                part.withUnsafeBytes { gathered.extended(by: part.count).copyMemory(from: $0) }
            }
        }
    }

    mutating func append(_ bytes: [UInt8]) throws(Base.Failure) {
        try append(ByteSlice(bytes))
    }

    mutating func flush() throws(Base.Failure) {
        guard gathered.count > 0 else { return }
        try base.append(gathered.bytes)
        gathered.count = 0
    }
}

private final class Gathered {
    private let memory: UnsafeMutableRawBufferPointer
    var count = 0

    init(capacity: Int) {
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit {
        memory.deallocate()
    }

    var room: Int { memory.count - count }
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    func extended(by more: Int) -> UnsafeMutableRawBufferPointer {
        defer { count += more }
        return UnsafeMutableRawBufferPointer(rebasing: memory[count..<count + more])
    }
}

/// Releases pages of written slices, about a mebibyte at a time: a call for each would cost as much
/// as copying them. Releasing a slice of a mapped file also releases its surroundings, so the first
/// and last of a run of neighbours are enough.
struct WrittenPages {
    private static let runByteCount = 1 << 20

    private var first: ByteSlice?
    private var last: ByteSlice?

    mutating func add(_ slice: ByteSlice) {
        if let first {
            let start = min(first.range.lowerBound, slice.range.lowerBound)
            let end = max(first.range.upperBound, slice.range.upperBound)
            guard end - start < Self.runByteCount else {
                forget()
                slice.forget()
                return
            }
            last = slice
        } else if slice.count >= Self.runByteCount {
            slice.forget()
        } else {
            first = slice
        }
    }

    mutating func forget() {
        first?.forget()
        last?.forget()
        (first, last) = (nil, nil)
    }
}
