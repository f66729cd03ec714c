// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries

/// C++ types as the demangler writes them: `N const*`, `unsigned long`, `int (*)(N*)`.
struct TypeNames {
    private static let depthLimit = 16

    private let budget: WorkBudget
    private let qualifiedName: (DIE) -> String

    /// - Parameter qualifiedName: of a class or an enumeration.
    init(_ budget: WorkBudget, qualifiedName: @escaping (DIE) -> String) {
        self.budget = budget
        self.qualifiedName = qualifiedName
    }

    /// `(N*, int) const`. Nil if a type has no name here.
    func parameters(of function: DIE, withQualifier: Bool = true) -> String? {
        parameters(of: function, withQualifier: withQualifier, depth: 0)
    }

    private func parameters(of function: DIE, withQualifier: Bool, depth: Int) -> String? {
        var types: [String] = []
        var qualifier = ""
        var next = function.firstChild
        while let child = next, budget.spend() {
            next = child.nextSibling
            switch Int(child.code) {
            case Int(DW_TAG_unspecified_parameters): types.append("...")
            case Int(DW_TAG_formal_parameter):
                let type = child.reference(Int(DW_AT_type))
                if child.attribute(Int(DW_AT_artificial)) == nil {
                    guard let name = name(of: unqualified(type), depth: depth) else { return nil }
                    types.append(name)
                } else if withQualifier, types.isEmpty, isPointerToConstant(unqualified(type)) {
                    qualifier = " const"
                }
            default: break
            }
        }
        return "(\(types.joined(separator: ", ")))\(qualifier)"
    }

    /// A parameter's own `const` is no part of a function's type: Itanium C++ ABI, 5.1.5.2.
    private func unqualified(_ type: DIE?) -> DIE? {
        var type = type
        while let outer = type, Self.isQualifier(outer) { type = outer.reference(Int(DW_AT_type)) }
        return type
    }

    private static func isQualifier(_ type: DIE) -> Bool {
        [Int(DW_TAG_const_type), Int(DW_TAG_volatile_type)].contains(Int(type.code))
    }

    /// Of `this` in a function that is `const`.
    private func isPointerToConstant(_ type: DIE?) -> Bool {
        guard let type, Int(type.code) == Int(DW_TAG_pointer_type),
            let target = type.reference(Int(DW_AT_type))
        else { return false }
        return Int(target.code) == Int(DW_TAG_const_type)
    }

    private func name(of type: DIE?, depth: Int) -> String? {
        guard let type else { return "void" }
        guard depth < Self.depthLimit, budget.spend() else { return nil }
        let inner = type.reference(Int(DW_AT_type))
        func with(_ mark: String) -> String? {
            if let inner, Int(inner.code) == Int(DW_TAG_subroutine_type) {
                guard let result = name(of: inner.reference(Int(DW_AT_type)), depth: depth + 1),
                    let types = parameters(of: inner, withQualifier: false, depth: depth + 1)
                else { return nil }
                return "\(result) (\(mark))\(types)"
            }
            return name(of: inner, depth: depth + 1).map { $0 + mark }
        }
        switch Int(type.code) {
        case Int(DW_TAG_pointer_type): return with("*")
        case Int(DW_TAG_reference_type): return with("&")
        case Int(DW_TAG_rvalue_reference_type): return with("&&")
        case Int(DW_TAG_const_type): return with(" const")
        case Int(DW_TAG_volatile_type): return with(" volatile")
        case Int(DW_TAG_typedef): return name(of: inner, depth: depth + 1)
        case Int(DW_TAG_class_type), Int(DW_TAG_structure_type), Int(DW_TAG_union_type),
            Int(DW_TAG_enumeration_type):
            return qualifiedName(type)
        case Int(DW_TAG_base_type), Int(DW_TAG_unspecified_type):
            return type.name.map { Self.words[$0] ?? $0 }
        default: return nil
        }
    }

    /// GCC's order of words, and the demangler's.
    private static let words = [
        "long int": "long", "long unsigned int": "unsigned long", "short int": "short",
        "short unsigned int": "unsigned short", "long long int": "long long",
        "long long unsigned int": "unsigned long long",
        "__int128 unsigned": "unsigned __int128",
    ]
}
