// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import Glibc

/// A debug information entry: a function, a block, an inlined call. DWARF 5, chapter 2.
struct DIE {
    private(set) var raw: epitaph_Dwarf_Die
    /// DW_TAG_...; 0 for a null entry, which ends a list of siblings.
    let code: Int32

    /// Finds the abbreviation, which libdw otherwise looks for in each call with a copy.
    init(_ raw: epitaph_Dwarf_Die) {
        var raw = raw
        code = epitaph_dwarf_tag(&raw)
        self.raw = raw
    }

    enum Tag {
        case function, inlinedCall, block
        /// May contain functions: a unit, namespace, type or module.
        case scope
        case other

        init(code: Int) {
            switch code {
            case Int(DW_TAG_subprogram): self = .function
            case Int(DW_TAG_inlined_subroutine): self = .inlinedCall
            case Int(DW_TAG_lexical_block), Int(DW_TAG_try_block), Int(DW_TAG_catch_block):
                self = .block
            case Int(DW_TAG_compile_unit), Int(DW_TAG_partial_unit), Int(DW_TAG_skeleton_unit),
                Int(DW_TAG_namespace), Int(DW_TAG_module), Int(DW_TAG_class_type),
                Int(DW_TAG_structure_type), Int(DW_TAG_union_type), Int(DW_TAG_enumeration_type),
                Int(DW_TAG_interface_type):
                self = .scope
            default: self = .other
            }
        }

        /// Whether functions are searched for below.
        var mayHoldFunctions: Bool { self == .function || self == .block || self == .scope }
    }

    var tag: Tag { Tag(code: Int(code)) }

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
        if case .sibling(let next) = following { next } else { nil }
    }

    enum Following {
        case sibling(DIE)
        /// What stands behind the list of siblings, if that is known.
        case end(next: DIE?)
    }

    /// libdw gives the address of the null entry behind the last sibling.
    var following: Following {
        var copy = raw
        var sibling = epitaph_Dwarf_Die()
        let result = epitaph_dwarf_siblingof(&copy, &sibling)
        guard let own = raw.addr, let next = sibling.addr, next > own else {
            return .end(next: nil)
        }
        if result == 0 { return .sibling(DIE(sibling)) }
        sibling.cu = raw.cu
        return DIE(sibling).behindList
    }

    /// What follows the entry around a list, of which this is the null entry.
    private var behindList: Following {
        guard code == 0, let address = raw.addr else { return .end(next: nil) }
        var next = epitaph_Dwarf_Die()
        next.cu = raw.cu
        next.addr = address + 1
        return .end(next: DIE(next))
    }

    enum Visit {
        case into, past, stop
    }

    /// Visits the entries below in the order of the file.
    ///
    /// What follows an entry whose children were visited is found behind the last of them:
    /// compilers other than GCC write no DW_AT_sibling, and libdw would read all of them again.
    func walk(
        depthLimit: Int, _ budget: WorkBudget, _ visit: (_ entry: DIE, _ parent: DIE) -> Visit
    ) {
        var parents = [self]
        var next = firstChild
        while let entry = next, let parent = parents.last, budget.spend() {
            switch visit(entry, parent) {
            case .stop: return
            case .into where parents.count < depthLimit:
                if let child = entry.firstChild {
                    parents.append(entry)
                    next = child
                    continue
                }
            default: break
            }
            next = Self.afterLists(entry.following, &parents)
        }
    }

    /// The entry itself, or the first one behind the lists of siblings that end here.
    private static func afterLists(_ following: Following, _ parents: inout [DIE]) -> DIE? {
        var following = following
        while true {
            switch following {
            case .sibling(let entry): return entry
            case .end(let next):
                guard let closed = parents.popLast(), !parents.isEmpty else { return nil }
                following =
                    next.map { $0.code == 0 ? $0.behindList : .sibling($0) } ?? closed.following
            }
        }
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
