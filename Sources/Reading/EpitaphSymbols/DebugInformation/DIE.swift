// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import Glibc

/// A debug information entry: a function, a block, an inlined call. DWARF 5, chapter 2.
struct DIE {
    private(set) var raw: epitaph_Dwarf_Die

    init(_ raw: epitaph_Dwarf_Die) {
        self.raw = raw
    }

    enum Tag {
        case function, inlinedCall, block
        /// May contain functions: a unit, namespace, type or module.
        case scope
        case other
    }

    var tag: Tag {
        var copy = raw
        switch Int(epitaph_dwarf_tag(&copy)) {
        case Int(DW_TAG_subprogram): return .function
        case Int(DW_TAG_inlined_subroutine): return .inlinedCall
        case Int(DW_TAG_lexical_block), Int(DW_TAG_try_block), Int(DW_TAG_catch_block):
            return .block
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
        return epitaph_dwarf_dieoffset(&copy)
    }

    var firstChild: DIE? {
        var copy = raw
        var child = epitaph_Dwarf_Die()
        return epitaph_dwarf_child(&copy, &child) == 0 ? DIE(child) : nil
    }

    /// Nil at the end, and for a backward reference, which would be a cycle.
    var nextSibling: DIE? {
        var copy = raw
        var sibling = epitaph_Dwarf_Die()
        guard epitaph_dwarf_siblingof(&copy, &sibling) == 0, let own = raw.addr,
            let next = sibling.addr,
            next > own
        else { return nil }
        return DIE(sibling)
    }

    /// The linkage name or else the plain name, also from abstract instance and declaration:
    /// DW_AT_abstract_origin, DW_AT_specification.
    var name: String? {
        text(DW_AT_linkage_name) ?? text(DW_AT_MIPS_linkage_name) ?? text(DW_AT_name)
    }

    /// Looked up in the same places.
    var linkageName: String? { text(DW_AT_linkage_name) ?? text(DW_AT_MIPS_linkage_name) }

    /// Follows DW_AT_abstract_origin, DW_AT_specification.
    func reference(_ code: Int) -> DIE? {
        guard var value = attribute(code) else { return nil }
        var entry = epitaph_Dwarf_Die()
        return epitaph_dwarf_formref_die(&value, &entry) == nil ? nil : DIE(entry)
    }

    /// DWARF 5, 2.14. Also from abstract instance and declaration.
    var declarationLine: Int? {
        var copy = raw
        var value = epitaph_Dwarf_Attribute()
        var line: epitaph_Dwarf_Word = 0
        guard epitaph_dwarf_attr_integrate(&copy, UInt32(DW_AT_decl_line), &value) != nil,
            epitaph_dwarf_formudata(&value, &line) == 0, line > 0
        else { return nil }
        return Int(exactly: line)
    }

    /// The place of an inlined call.
    var callLine: UInt64? { number(DW_AT_call_line) }
    var callColumn: UInt64? { number(DW_AT_call_column) }
    var callFile: UInt64? { number(DW_AT_call_file) }

    func attribute(_ code: Int) -> epitaph_Dwarf_Attribute? {
        var copy = raw
        var value = epitaph_Dwarf_Attribute()
        return epitaph_dwarf_attr(&copy, UInt32(code), &value) == nil ? nil : value
    }

    func number(_ code: Int) -> UInt64? {
        guard var value = attribute(code) else { return nil }
        var number: epitaph_Dwarf_Word = 0
        return epitaph_dwarf_formudata(&value, &number) == 0 ? number : nil
    }

    func ownText(_ code: Int) -> String? {
        guard var value = attribute(code) else { return nil }
        return epitaph_dwarf_formstring(&value).flatMap(boundedText)
    }

    private func text(_ code: Int) -> String? {
        var copy = raw
        var value = epitaph_Dwarf_Attribute()
        guard epitaph_dwarf_attr_integrate(&copy, UInt32(code), &value) != nil,
            let text = epitaph_dwarf_formstring(&value), text.pointee != 0
        else { return nil }
        return boundedText(text)
    }
}

/// Nil if the text is longer than any name or path, or has no end.
func boundedText(_ text: UnsafePointer<CChar>) -> String? {
    let limit = 1 << 16
    return strnlen(text, limit) < limit ? String(cString: text) : nil
}
