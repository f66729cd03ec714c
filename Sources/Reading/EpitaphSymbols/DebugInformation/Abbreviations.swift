// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries

/// A table of what kinds of entries a unit has, and how large their attributes are: DWARF 5, 7.5.3.
struct Abbreviations {
    struct Kind {
        let tag: DIE.Tag
        let hasChildren: Bool
        /// Without them an entry has no machine code: DWARF 5, 2.17.
        let hasAddresses: Bool
        fileprivate let parts: Range<Int>
        /// Of all attributes, if none of them says itself how large it is, as in most kinds.
        fileprivate let fixedBytes: Int?
    }

    /// Attributes as they lie behind each other; neighbours of a fixed size are one part.
    private enum Part {
        case bytes(Int)
        case number
        case text
        /// Bytes behind their count, which has that many bytes itself.
        case counted(UInt8)
        case countedByNumber
    }

    /// Far more than the largest program's.
    private static let codeLimit = 1 << 14
    private static let partLimit = 1 << 18

    private var kinds: [Kind?] = []
    private var parts: [Part] = []

    /// Nil if a table is damaged, larger than any, or has forms that are not in DWARF 5.
    init?(_ table: UnsafeRawBufferPointer, _ format: EntryFormat) {
        var numbers = EncodedNumbers(table)
        while true {
            guard let code = numbers.next() else { return nil }
            if code == 0 { return }
            guard code < Self.codeLimit, let tag = numbers.next(), let children = numbers.byte()
            else { return nil }
            let first = parts.count
            var hasAddresses = false
            while true {
                guard let attribute = numbers.next(), let form = numbers.next(),
                    parts.count < Self.partLimit
                else { return nil }
                if attribute == 0, form == 0 { break }
                hasAddresses =
                    hasAddresses || attribute == UInt64(DW_AT_high_pc)
                    || attribute == UInt64(DW_AT_ranges)
                // DW_FORM_implicit_const has its value here.
                if form == 0x21 {
                    guard numbers.next() != nil else { return nil }
                } else {
                    guard let part = Self.part(form, format) else { return nil }
                    append(part, since: first)
                }
            }
            add(
                Kind(
                    tag: .init(code: Int(clamping: tag)), hasChildren: children != 0,
                    hasAddresses: hasAddresses, parts: first..<parts.count,
                    fixedBytes: fixedBytes(from: first)), Int(code))
        }
    }

    private func fixedBytes(from first: Int) -> Int? {
        if parts.count == first { return 0 }
        guard parts.count == first + 1, case .bytes(let count) = parts[first] else { return nil }
        return count
    }

    private mutating func add(_ kind: Kind, _ code: Int) {
        if code >= kinds.count {
            kinds += repeatElement(nil, count: code + 1 - kinds.count)
        }
        kinds[code] = kinds[code] ?? kind
    }

    private mutating func append(_ part: Part, since first: Int) {
        if case .bytes(let more) = part, parts.count > first,
            case .bytes(let count) = parts[parts.count - 1]
        {
            parts[parts.count - 1] = .bytes(count + more)
        } else {
            parts.append(part)
        }
    }

    /// DWARF 5, 7.5.6, and GNU's forms for split and shared debug information.
    private static func part(_ form: UInt64, _ format: EntryFormat) -> Part? {
        switch form {
        // addr
        case 0x01: .bytes(Int(format.addressBytes))
        // block2, block4, block1
        case 0x03: .counted(2)
        case 0x04: .counted(4)
        case 0x0a: .counted(1)
        // data1, flag, ref1, strx1, addrx1
        case 0x0b, 0x0c, 0x11, 0x25, 0x29: .bytes(1)
        // data2, ref2, strx2, addrx2
        case 0x05, 0x12, 0x26, 0x2a: .bytes(2)
        // strx3, addrx3
        case 0x27, 0x2b: .bytes(3)
        // data4, ref4, ref_sup4, strx4, addrx4
        case 0x06, 0x13, 0x1c, 0x28, 0x2c: .bytes(4)
        // data8, ref8, ref_sig8, ref_sup8
        case 0x07, 0x14, 0x20, 0x24: .bytes(8)
        // data16
        case 0x1e: .bytes(16)
        // flag_present
        case 0x19: .bytes(0)
        // string
        case 0x08: .text
        // block, exprloc
        case 0x09, 0x18: .countedByNumber
        // sdata, udata, ref_udata, strx, addrx, loclistx, rnglistx, GNU_addr_index, GNU_str_index
        case 0x0d, 0x0f, 0x15, 0x1a, 0x1b, 0x22, 0x23, 0x1f01, 0x1f02: .number
        // strp, sec_offset, strp_sup, line_strp, GNU_ref_alt, GNU_strp_alt
        case 0x0e, 0x17, 0x1d, 0x1f, 0x1f20, 0x1f21: .bytes(Int(format.offsetBytes))
        // ref_addr
        case 0x10: .bytes(Int(format.version > 2 ? format.offsetBytes : format.addressBytes))
        default: nil
        }
    }

    func kind(_ code: UInt64) -> Kind? {
        code < UInt64(kinds.count) ? kinds[Int(code)] : nil
    }

    /// Moves past the attributes of an entry.
    func skip(_ kind: Kind, _ numbers: inout EncodedNumbers) {
        if let count = kind.fixedBytes { return numbers.skip(UInt64(count)) }
        for index in kind.parts {
            switch parts[index] {
            case .bytes(let count): numbers.skip(UInt64(count))
            case .number: _ = numbers.next()
            case .text: while let byte = numbers.byte(), byte != 0 {}
            case .counted(let size): numbers.skip(numbers.fixed(size))
            case .countedByNumber: numbers.skip(numbers.next() ?? .max)
            }
        }
    }
}

extension EncodedNumbers {
    fileprivate mutating func fixed(_ byteCount: UInt8) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<UInt64(byteCount) { value |= UInt64(byte() ?? 0) << (8 * index) }
        return value
    }
}
