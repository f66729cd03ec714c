// SPDX-License-Identifier: Apache-2.0

/// Reasons of traps: compilers record them as a fictitious function inlined at the trap.
enum RuntimeFailure {
    /// Swift: `Swift runtime failure: Index out of range`, IRGenDebugInfo. Clang:
    /// `__clang_trap_msg$CATEGORY$REASON`, "`__builtin_verbose_trap`" in its language extensions.
    static func reason(inName name: String) -> String? {
        if let reason = text(of: name, after: "Swift runtime failure: ") { return reason }
        guard let text = text(of: name, after: "__clang_trap_msg$") else { return nil }
        let parts = text.split(separator: "$", maxSplits: 1).filter { !$0.isEmpty }
        return parts.isEmpty ? nil : parts.joined(separator: ": ")
    }

    private static func text(of name: String, after prefix: String) -> String? {
        guard name.hasPrefix(prefix), name.utf8.count > prefix.utf8.count else { return nil }
        return String(name.dropFirst(prefix.count))
    }
}
