// SPDX-License-Identifier: Apache-2.0

import CElfutils

/// One entry of the debug information: a function, a block, an inlined call. DWARF 5, chapter 2.
struct DIE {
    private(set) var raw: Dwarf_Die

    init(_ raw: Dwarf_Die) {
        self.raw = raw
    }

    enum Tag {
        case function, inlinedCall, block
        /// What can hold functions: units, namespaces, types, modules.
        case scope
        case other
    }

    var tag: Tag {
        var copy = raw
        switch Int(dwarf_tag(&copy)) {
        case Int(DW_TAG_subprogram): return .function
        case Int(DW_TAG_inlined_subroutine): return .inlinedCall
        case Int(DW_TAG_lexical_block): return .block
        case Int(DW_TAG_compile_unit), Int(DW_TAG_partial_unit), Int(DW_TAG_skeleton_unit),
            Int(DW_TAG_namespace), Int(DW_TAG_module), Int(DW_TAG_class_type),
            Int(DW_TAG_structure_type), Int(DW_TAG_union_type), Int(DW_TAG_enumeration_type),
            Int(DW_TAG_interface_type):
            return .scope
        default: return .other
        }
    }

    var offset: UInt64 {
        var copy = raw
        return dwarf_dieoffset(&copy)
    }

    var firstChild: DIE? {
        var copy = raw
        var child = Dwarf_Die()
        return dwarf_child(&copy, &child) == 0 ? DIE(child) : nil
    }

    var nextSibling: DIE? {
        var copy = raw
        var sibling = Dwarf_Die()
        return dwarf_siblingof(&copy, &sibling) == 0 ? DIE(sibling) : nil
    }

    /// The addresses of its code, one range or several; empty where it has none.
    var addressRanges: [Range<UInt64>] {
        var copy = raw
        var ranges: [Range<UInt64>] = []
        var position = 0
        var base: Dwarf_Addr = 0
        var start: Dwarf_Addr = 0
        var end: Dwarf_Addr = 0
        while ranges.count < 100_000 {
            position = dwarf_ranges(&copy, position, &base, &start, &end)
            guard position > 0 else { break }
            // Functions the linker dropped are left at 0.
            if start < end, start != 0 { ranges.append(start..<end) }
        }
        return ranges
    }

    func contains(_ address: UInt64) -> Bool {
        var copy = raw
        return dwarf_haspc(&copy, address) > 0
    }

    /// The name for linkers; the plain name where there is no other. Also by way of the abstract
    /// instance.
    var name: String? {
        text(DW_AT_linkage_name) ?? text(DW_AT_MIPS_linkage_name) ?? text(DW_AT_name)
    }

    /// Where an inlined call was made from.
    var callLine: UInt64? { number(DW_AT_call_line) }
    var callColumn: UInt64? { number(DW_AT_call_column) }
    var callFile: UInt64? { number(DW_AT_call_file) }

    private func text(_ attribute: Int) -> String? {
        var copy = raw
        var value = Dwarf_Attribute()
        guard dwarf_attr_integrate(&copy, UInt32(attribute), &value) != nil,
            let text = dwarf_formstring(&value)
        else { return nil }
        return String(cString: text)
    }

    private func number(_ attribute: Int) -> UInt64? {
        var copy = raw
        var value = Dwarf_Attribute()
        var number: Dwarf_Word = 0
        guard dwarf_attr(&copy, UInt32(attribute), &value) != nil,
            dwarf_formudata(&value, &number) == 0
        else { return nil }
        return number
    }
}
