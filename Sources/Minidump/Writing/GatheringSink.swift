// SPDX-License-Identifier: Apache-2.0

import Bytes

/// Hands small pieces on together, so that thousands of registers do not cost a system call each.
/// Large ones go straight through: the kernel reads those itself, and answers with an error for a
/// page the disk cannot give.
struct GatheringSink<Base: ByteSink> {
    private static var pieceByteLimit: Int { 1 << 13 }
    private static var capacity: Int { 1 << 16 }

    private(set) var base: Base
    private var gathered = ByteBuilder()

    init(_ base: Base) {
        self.base = base
    }

    mutating func append(_ slice: ByteSlice) throws(Base.Failure) {
        guard slice.count > Self.pieceByteLimit else {
            slice.withUnsafeBytes { gathered.append($0) }
            if gathered.count >= Self.capacity { try flush() }
            return
        }
        try flush()
        try base.append(slice)
    }

    mutating func append(_ bytes: [UInt8]) throws(Base.Failure) {
        guard bytes.count > Self.pieceByteLimit else {
            gathered.append(bytes)
            if gathered.count >= Self.capacity { try flush() }
            return
        }
        try flush()
        try base.append(bytes)
    }

    mutating func flush() throws(Base.Failure) {
        guard gathered.count > 0 else { return }
        try base.append(gathered.bytes)
        gathered = ByteBuilder()
    }
}
