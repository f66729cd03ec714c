// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Copies call frame entries into a small `.eh_frame` with absolute addresses. LSB Core, 10.6.1.
package struct CallFrameExtract: Sendable {
    /// A module's whole table has a few mebibytes; a few thousand frames need far less.
    package static let byteLimit = 1 << 20

    private var section = ByteBuilder()
    private var commonOffsets: [Common: Int] = [:]
    private var functions: Set<Range<UInt64>> = []

    private struct Common: Hashable {
        let codeAlignment: UInt64
        let dataAlignment: Int64
        let returnRegister: Int
        let isSignalFrame: Bool
        let instructions: [UInt8]

        init(_ entry: CommonFrameInformation) {
            codeAlignment = entry.codeAlignment
            dataAlignment = entry.dataAlignment
            returnRegister = entry.returnRegister
            isSignalFrame = entry.isSignalFrame
            instructions = entry.instructions.array
        }
    }

    package init() {}

    package var isEmpty: Bool { section.count == 0 }
    /// An `.eh_frame` section, little-endian, of at most `byteLimit` bytes.
    package var bytes: ByteSlice { ByteSlice(section.bytes) }

    /// Adds a function's entry, once. False if there is no usable one or the limit is reached.
    @discardableResult
    package mutating func add(from table: CallFrameTable, at fileAddress: UInt64) -> Bool {
        guard let entry = table.entry(containing: fileAddress) else { return false }
        guard !functions.contains(entry.addressRange) else { return true }
        let byteCount = entry.instructions.count + entry.common.instructions.count + 128
        guard CallFrameProgram.rules(entry, at: fileAddress) != nil,
            section.count + byteCount <= Self.byteLimit
        else { return false }
        functions.insert(entry.addressRange)
        append(entry, commonOffset: offset(of: entry.common))
        return true
    }

    private mutating func offset(of entry: CommonFrameInformation) -> Int {
        let common = Common(entry)
        if let known = commonOffsets[common] { return known }
        let offset = section.count
        var body = ByteBuilder()
        body.append(UInt32(0))  // marks a common entry
        body.append(UInt8(3))  // a version whose return register is not a single byte
        body.append(common.isSignalFrame ? "zRS\0" : "zR\0")
        body.appendULEB128(common.codeAlignment)
        body.appendSLEB128(common.dataAlignment)
        body.appendULEB128(UInt64(common.returnRegister))
        body.appendULEB128(1)  // size of the data that the letters describe
        body.append(PointerEncoding.absolute.rawValue)
        body.append(common.instructions)
        append(body)
        commonOffsets[common] = offset
        return offset
    }

    private mutating func append(_ entry: FrameDescription, commonOffset: Int) {
        var body = ByteBuilder()
        // Counted backwards from this field, which follows the length.
        body.append(UInt32(section.count + 4 - commonOffset))
        body.append(entry.addressRange.lowerBound)
        body.append(entry.addressRange.upperBound - entry.addressRange.lowerBound)
        body.appendULEB128(0)
        body.append(entry.instructions)
        append(body)
    }

    private mutating func append(_ body: ByteBuilder) {
        let padding = (4 - body.count % 4) % 4
        section.append(UInt32(body.count + padding))
        section.append(body.bytes)
        section.appendZeros(padding)
    }
}

extension ByteBuilder {
    /// DWARF 5, 7.6
    fileprivate mutating func appendULEB128(_ value: UInt64) {
        var rest = value
        repeat {
            let byte = UInt8(rest & 0x7f)
            rest >>= 7
            append(rest == 0 ? byte : byte | 0x80)
        } while rest != 0
    }

    fileprivate mutating func appendSLEB128(_ value: Int64) {
        var rest = value
        while true {
            let byte = UInt8(truncatingIfNeeded: rest & 0x7f)
            rest >>= 7
            // Only the sign is left, which the last byte's highest bit has too.
            if rest == (byte & 0x40 == 0 ? 0 : -1) { return append(byte) }
            append(byte | 0x80)
        }
    }
}
