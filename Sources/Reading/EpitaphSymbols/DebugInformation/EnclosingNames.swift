// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries

/// Qualifies C++ names without linkage names: GCC writes none for closures and functions inlined
/// everywhere. Closures are numbered as in linkage names: Itanium C++ ABI, 5.1.8.
final class EnclosingNames {
    private static let depthLimit = 64

    private let root: DIE
    private let budget: WorkBudget
    /// Each entry's parent by the entry's offset; read on demand.
    private lazy var parents = isCxx ? readParents() : [:]
    private var known: [UInt64: String] = [:]

    init(_ root: DIE, _ budget: WorkBudget) {
        self.root = root
        self.budget = budget
    }

    func qualifiedName(of call: DIE) -> String? {
        let declared = declaration(of: call)
        if let name = known[declared.offset] { return name.isEmpty ? nil : name }
        let name = call.linkageName == nil ? find(declared) : nil
        known[declared.offset] = name ?? ""
        return name
    }

    private func find(_ declared: DIE) -> String? {
        guard let own = declared.name, parents[declared.offset] != nil else { return nil }
        let scopes = scopeNames(around: declared)
        return scopes.isEmpty ? nil : (scopes.reversed() + [own]).joined(separator: "::")
    }

    private func scopeNames(around entry: DIE) -> [String] {
        var names: [String] = []
        var next = parents[entry.offset]
        while let parent = next, names.count < Self.depthLimit {
            next = parents[parent.offset]
            // A linkage name is complete; a function without one has scopes of its own.
            if parent.tag == .function {
                let function = declaration(of: parent)
                if let linkage = function.linkageName {
                    names.append(Demangler.demangle(linkage))
                    return names
                }
                next = parents[function.offset]
            }
            if let name = scopeName(of: parent) { names.append(name) }
        }
        return names
    }

    /// Nil for a block and for the unit itself.
    private func scopeName(of entry: DIE) -> String? {
        var raw = entry.raw
        switch Int(epitaph_dwarf_tag(&raw)) {
        case Int(DW_TAG_namespace): return entry.name ?? "(anonymous namespace)"
        case Int(DW_TAG_subprogram): return declaration(of: entry).name
        case Int(DW_TAG_class_type), Int(DW_TAG_structure_type), Int(DW_TAG_union_type),
            Int(DW_TAG_enumeration_type):
            return typeName(of: entry)
        default: return nil
        }
    }

    private func typeName(of type: DIE) -> String {
        if let name = type.name { return name }
        guard Self.isClosure(type) else { return "{unnamed}" }
        return "{lambda#\(ordinal(of: type))}"
    }

    /// GCC's closure types have no name but an `operator()`.
    private static func isClosure(_ type: DIE) -> Bool {
        var next = type.firstChild
        while let child = next {
            if child.tag == .function, child.ownText(Int(DW_AT_name)) == "operator()" {
                return true
            }
            next = child.nextSibling
        }
        return false
    }

    private func ordinal(of type: DIE) -> Int {
        var scope = parents[type.offset]
        while let block = scope, block.tag == .block { scope = parents[block.offset] }
        guard let scope else { return 1 }
        let own = Self.place(type)
        return closures(in: scope, depth: 0).count { Self.place($0) < own } + 1
    }

    private static func place(_ entry: DIE) -> (UInt64, UInt64, UInt64) {
        (
            entry.number(Int(DW_AT_decl_line)) ?? 0, entry.number(Int(DW_AT_decl_column)) ?? 0,
            entry.offset
        )
    }

    private func closures(in scope: DIE, depth: Int) -> [DIE] {
        var found: [DIE] = []
        var next = scope.firstChild
        while let child = next, budget.spend() {
            next = child.nextSibling
            switch child.tag {
            case .scope where child.name == nil && Self.isClosure(child): found.append(child)
            case .block where depth < Self.depthLimit:
                found += closures(in: child, depth: depth + 1)
            default: break
            }
        }
        return found
    }

    private func declaration(of entry: DIE) -> DIE {
        var entry = entry
        for _ in 0..<Self.depthLimit {
            guard
                let next = entry.reference(Int(DW_AT_abstract_origin))
                    ?? entry.reference(Int(DW_AT_specification))
            else { break }
            entry = next
        }
        return entry
    }

    // C++ and its versions: DWARF 5, table 7.17.
    private var isCxx: Bool {
        let language = root.number(Int(DW_AT_language)) ?? 0
        return [0x04, 0x1a, 0x21, 0x2b, 0x3a].contains(language)
    }

    private func readParents() -> [UInt64: DIE] {
        var parents: [UInt64: DIE] = [:]
        root.walk(depthLimit: Self.depthLimit, budget) { entry, parent in
            let tag = entry.tag
            guard tag == .function || tag == .scope || tag == .block else { return .past }
            guard budget.hold(WorkBudget.bytesPerEntry) else { return .stop }
            parents[entry.offset] = parent
            return .into
        }
        return parents
    }
}
