// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Gathers small pieces: thousands of register sets must not cost a system call each, and file
/// systems write a mebibyte in little more than half the time of sixteen parts of it. Large pieces
/// are not copied: the kernel reads them itself, and returns an error for a page that the disk
/// cannot provide. Written pages of a mapped file are released.
struct GatheringSink<Base: ByteSink> {
    private static var copiedByteLimit: Int { 1 << 13 }
    private static var capacity: Int { 1 << 20 }
    private static var pieceLimit: Int { 512 }

    private(set) var base: Base
    var pages = WrittenPages()
    private var pieces: [ByteSlice] = []
    private var pieceByteCount = 0
    private var gathered = ByteBuilder()

    init(_ base: Base) {
        self.base = base
    }

    mutating func append(_ slice: ByteSlice) throws(Base.Failure) {
        if slice.count > Self.copiedByteLimit {
            closeGathered()
            add(slice)
        } else {
            slice.withUnsafeBytes { gathered.append($0) }
        }
        let isFull = pieceByteCount + gathered.count >= Self.capacity
        if isFull || pieces.count >= Self.pieceLimit { try flush() }
    }

    mutating func append(_ bytes: [UInt8]) throws(Base.Failure) {
        try append(ByteSlice(bytes))
    }

    mutating func flush() throws(Base.Failure) {
        closeGathered()
        guard !pieces.isEmpty else { return }
        try base.append(all: pieces)
        for piece in pieces { pages.add(piece) }
        pieces.removeAll(keepingCapacity: true)
        pieceByteCount = 0
    }

    private mutating func closeGathered() {
        guard gathered.count > 0 else { return }
        add(ByteSlice(gathered.bytes))
        gathered = ByteBuilder()
    }

    private mutating func add(_ slice: ByteSlice) {
        pieces.append(slice)
        pieceByteCount += slice.count
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
