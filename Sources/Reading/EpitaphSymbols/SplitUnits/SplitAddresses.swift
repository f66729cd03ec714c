// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphValues

/// Addresses of a split unit's entries: indices into the skeleton file's table. DWARF 5, 7.27.
final class SplitAddresses {
    private let entries: ByteSlice
    private let addresses: ByteSlice
    private let addressBase: UInt64
    private let ranges: SplitRanges
    /// Base of the unit's ranges.
    private let unitStart: UInt64
    // The entries point into it.
    let split: LibdwFile

    init(of skeleton: DIE, in main: LibdwFile, split: LibdwFile) {
        self.split = split
        entries = split.section(named: ".debug_info.dwo")
        addresses = main.section(named: ".debug_addr")
        addressBase =
            skeleton.number(Int(DW_AT_addr_base)) ?? skeleton.number(Int(DW_AT_GNU_addr_base)) ?? 0
        let lists = split.section(named: ".debug_rnglists.dwo")
        if lists.isEmpty {
            let base = skeleton.number(Int(DW_AT_GNU_ranges_base)) ?? 0
            ranges = .version4(main.section(named: ".debug_ranges"), base: base)
        } else {
            ranges = .version5(lists)
        }
        var entry = skeleton.raw
        var start: epitaph_Dwarf_Addr = 0
        unitStart = epitaph_dwarf_lowpc(&entry, &start) == 0 ? start : 0
    }

    func ranges(of entry: DIE, _ budget: WorkBudget) -> [Range<UInt64>] {
        if let start = entry.attribute(Int(DW_AT_low_pc)).flatMap(address),
            let end = entry.attribute(Int(DW_AT_high_pc))
        {
            return [(start, endAddress(end, from: start))].compactMap(Self.range)
        }
        guard let attribute = entry.attribute(Int(DW_AT_ranges)) else { return [] }
        let isIndex = Int(attribute.form) == Int(DW_FORM_rnglistx)
        guard let number = operand(of: attribute) else { return [] }
        return ranges.list(
            number, isIndex: isIndex, from: unitStart, addressAt: { self.address(at: $0) }, budget
        ).compactMap(Self.range)
    }

    private static func range(_ start: UInt64, _ end: UInt64) -> Range<UInt64>? {
        start < end ? start..<end : nil
    }

    private func endAddress(_ attribute: epitaph_Dwarf_Attribute, from start: UInt64) -> UInt64 {
        if let end = address(attribute) { return end }
        var copy = attribute
        var size: epitaph_Dwarf_Word = 0
        return epitaph_dwarf_formudata(&copy, &size) == 0 ? start &+ size : 0
    }

    private func address(_ attribute: epitaph_Dwarf_Attribute) -> UInt64? {
        switch Int(attribute.form) {
        case Int(DW_FORM_addr):
            var copy = attribute
            var address: epitaph_Dwarf_Addr = 0
            return epitaph_dwarf_formaddr(&copy, &address) == 0 ? address : nil
        case Int(DW_FORM_addrx), Int(DW_FORM_addrx1), Int(DW_FORM_addrx2), Int(DW_FORM_addrx3),
            Int(DW_FORM_addrx4), Int(DW_FORM_GNU_addr_index):
            return operand(of: attribute).flatMap { self.address(at: $0) }
        default: return nil
        }
    }

    private func address(at index: UInt64) -> UInt64? {
        let (distance, overflow) = index.multipliedReportingOverflow(by: 8)
        guard !overflow, let offset = Int(exactly: addressBase &+ distance) else { return nil }
        return addresses.load(at: offset)
    }

    /// The operand of a form like DW_FORM_addrx; libdw only says where it is. Offsets have 4 bytes:
    /// no `.dwo` file needs the 64-bit format.
    private func operand(of attribute: epitaph_Dwarf_Attribute) -> UInt64? {
        let position = entries.withUnsafeBytes { bytes -> Int? in
            guard let start = bytes.baseAddress, let pointer = attribute.valp else { return nil }
            let offset = UnsafeRawPointer(pointer) - start
            return offset >= 0 && offset < bytes.count ? offset : nil
        }
        guard let position else { return nil }
        var cursor = ByteCursor(entries, offset: position)
        switch Int(attribute.form) {
        case Int(DW_FORM_addrx1): return (try? cursor.read(UInt8.self)).map(UInt64.init)
        case Int(DW_FORM_addrx2): return (try? cursor.read(UInt16.self)).map(UInt64.init)
        case Int(DW_FORM_addrx4), Int(DW_FORM_data4), Int(DW_FORM_sec_offset):
            return (try? cursor.read(UInt32.self)).map(UInt64.init)
        case Int(DW_FORM_addrx3):
            guard let low = try? cursor.read(UInt16.self), let high = try? cursor.read(UInt8.self)
            else { return nil }
            return UInt64(low) | UInt64(high) << 16
        default: return cursor.readUnsignedLEB128()
        }
    }
}
