// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries

/// Names of C++ functions without linkage names, with scopes and parameters: GCC writes none for what
/// only one file can see, such as closures, `static` functions and unnamed namespaces. Closures are
/// numbered as in linkage names: Itanium C++ ABI, 5.1.8.
final class EnclosingNames {
    private static let depthLimit = 64

    private let budget: WorkBudget
    private var roots: [OpaquePointer: DIE] = [:]
    /// Read on demand.
    private var units: [OpaquePointer: Unit] = [:]
    private var known: [Key: String] = [:]

    private struct Key: Hashable {
        /// Offsets count in each file.
        let unit: OpaquePointer?
        let offset: UInt64
    }

    private final class Unit {
        /// Each entry's parent by the entry's offset.
        var parents: [UInt64: DIE] = [:]
        /// False if the information is for lines alone (`-g1`), where no function has parameters.
        var hasParameters = false
    }

    init(_ budget: WorkBudget) {
        self.budget = budget
    }

    /// With link-time optimisation what a unit has was declared in another.
    func add(unit root: DIE) {
        if let unit = root.raw.cu { roots[unit] = root }
    }

    func qualifiedName(of call: DIE) -> String? {
        let declared = declaration(of: call)
        let key = Key(unit: declared.raw.cu, offset: declared.offset)
        if let name = known[key] { return name.isEmpty ? nil : name }
        let name = call.linkageName == nil ? find(declared) : nil
        known[key] = name ?? ""
        return name
    }

    func hasParameters(around call: DIE) -> Bool {
        unit(of: declaration(of: call))?.hasParameters ?? false
    }

    private func find(_ declared: DIE) -> String? {
        guard parent(of: declared) != nil, let own = functionName(of: declared) else {
            return nil
        }
        let name = (scopeNames(around: declared).reversed() + [own]).joined(separator: "::")
        return name == declared.name ? nil : name
    }

    /// Of a closure, whose function has none of its own.
    func line(ofClosureOf call: DIE) -> Int? {
        guard let type = parent(of: declaration(of: call)), type.name == nil,
            Self.isClosure(type)
        else { return nil }
        return type.declarationLine
    }

    /// With the types of its parameters, which tell overloads apart. Of what other files see and is in
    /// no scope, all but C's functions and `main` have linkage names.
    private func functionName(of declared: DIE) -> String? {
        guard let name = declared.name else { return nil }
        // GCC's own, `_GLOBAL__sub_I_main`.
        guard !name.hasPrefix("_GLOBAL__") else { return name }
        let isSeen = declared.attribute(Int(DW_AT_external)) != nil
        guard unit(of: declared)?.hasParameters == true,
            !isSeen || parent(of: declared).flatMap(scopeName) != nil, nesting < Self.deepest
        else { return name }
        nesting += 1
        defer { nesting -= 1 }
        return types.parameters(of: declared).map { name + $0 } ?? name
    }

    /// Only damaged information nests function, parameter and the function it is in endlessly.
    private static let deepest = 8
    private var nesting = 0

    private lazy var types = TypeNames(budget) { [unowned self] type in
        (scopeNames(around: type).reversed() + [typeName(of: type)]).joined(separator: "::")
    }

    private func scopeNames(around entry: DIE) -> [String] {
        var names: [String] = []
        var next = parent(of: entry)
        while let parent = next, names.count < Self.depthLimit {
            next = self.parent(of: parent)
            // A linkage name is complete; a function without one has scopes of its own.
            if parent.tag == .function {
                let function = declaration(of: parent)
                if let linkage = function.linkageName {
                    names.append(Demangler.demangle(linkage))
                    return names
                }
                next = self.parent(of: function)
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
        case Int(DW_TAG_subprogram): return functionName(of: declaration(of: entry))
        case Int(DW_TAG_class_type), Int(DW_TAG_structure_type), Int(DW_TAG_union_type),
            Int(DW_TAG_enumeration_type):
            return typeName(of: entry)
        default: return nil
        }
    }

    private func typeName(of type: DIE) -> String {
        if let name = type.name { return name }
        guard let function = Self.function(ofClosure: type) else { return "{unnamed}" }
        let parameters = types.parameters(of: function, withQualifier: false) ?? ""
        return "{lambda\(parameters)#\(ordinal(of: type))}"
    }

    /// GCC's closure types have no name but an `operator()`, or `operator()<int>` and so on.
    private static func function(ofClosure type: DIE) -> DIE? {
        var next = type.firstChild
        while let child = next {
            if child.tag == .function,
                child.ownText(Int(DW_AT_name))?.hasPrefix("operator()") == true
            {
                return child
            }
            next = child.nextSibling
        }
        return nil
    }

    private static func isClosure(_ type: DIE) -> Bool { function(ofClosure: type) != nil }

    private func ordinal(of type: DIE) -> Int {
        var scope = parent(of: type)
        while let block = scope, block.tag == .block { scope = parent(of: block) }
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

    private func parent(of entry: DIE) -> DIE? { unit(of: entry)?.parents[entry.offset] }

    private func unit(of entry: DIE) -> Unit? {
        guard let key = entry.raw.cu, let root = roots[key] else { return nil }
        if let known = units[key] { return known }
        let unit = Unit()
        units[key] = unit
        if Self.isCxx(root) { read(root, into: unit) }
        return unit
    }

    // C++ and its versions: DWARF 5, table 7.17.
    private static func isCxx(_ root: DIE) -> Bool {
        let language = root.number(Int(DW_AT_language)) ?? 0
        return [0x04, 0x1a, 0x21, 0x2b, 0x3a].contains(language)
    }

    private func read(_ root: DIE, into unit: Unit) {
        root.walk(depthLimit: Self.depthLimit, budget) { entry, parent in
            let tag = entry.tag
            unit.hasParameters =
                unit.hasParameters || Int(entry.code) == Int(DW_TAG_formal_parameter)
            guard tag == .function || tag == .scope || tag == .block else { return .past }
            guard budget.hold(WorkBudget.bytesPerEntry) else { return .stop }
            unit.parents[entry.offset] = parent
            return .into
        }
    }
}
