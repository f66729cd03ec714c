// SPDX-License-Identifier: Apache-2.0

/// Mangled names of async functions: swift/docs/ABI/Mangling.rst, "Entity signature" and "Thunks".
struct SwiftAsyncName: Equatable {
    enum Part: Equatable {
        /// `TQ<n>_`: continues after an `await`. Entered with the callee's context.
        case awaitResume
        /// `TY<n>_`: continues after an executor change. Entered with its own context.
        case suspendResume
        case entry
        case synchronous
    }

    let part: Part
    let function: String

    /// - Parameter entries: names of the image's async functions.
    init(_ name: String, entries: Set<String>) {
        let plain = Self.withoutCompilerSuffix(name[...])
        if let function = Self.droppingPart("TQ", from: plain) {
            part = .awaitResume
            self.function = String(function)
        } else if let function = Self.droppingPart("TY", from: plain) {
            part = .suspendResume
            self.function = String(function)
        } else {
            part = entries.contains(name) || entries.contains(String(plain)) ? .entry : .synchronous
            function = name
        }
    }

    /// Compiler-generated forwarding code without a line: a closure's forwarder ("TA"), a change of
    /// representation ("TR", "Tr"), a protocol witness ("TW") or dispatch ("Tj").
    var isThunk: Bool {
        let name = Self.withoutSpecialization(Self.withoutCompilerSuffix(function[...]))
        return ["TA", "TR", "Tr", "TW", "Tj"].contains { name.hasSuffix($0) }
    }

    /// Removes the types that a thunk was specialised for: "Si_TG5" behind its "TR".
    private static func withoutSpecialization(_ name: Substring) -> Substring {
        guard let last = name.last, last.isASCII, last.isNumber else { return name }
        var body = name.dropLast()
        while let mark = body.last, "amq".contains(mark) { body = body.dropLast() }
        guard ["_TG", "_Tg", "_TB"].contains(where: { body.hasSuffix($0) }),
            // A generic signature or the thunk's type ends before it.
            let kind = body.firstPlace(of: "lTR") ?? body.firstPlace(of: "_TR")
        else { return name }
        return body[..<kind.upperBound]
    }

    private static func withoutCompilerSuffix(_ name: Substring) -> Substring {
        var name = name
        if name.hasSuffix("Tm") { name = name.dropLast(2) }
        let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.count
        let rest = name.dropLast(digits)
        return digits > 0 && rest.hasSuffix(".") ? rest.dropLast() : name
    }

    private static func droppingPart(_ mark: String, from name: Substring) -> Substring? {
        // Not every Swift function is mangled: "async_Main", and names chosen by their authors.
        guard !name.hasPrefix("_Z"), name.hasSuffix("_") else { return nil }
        // "_" is 0 and "0_" is 1.
        let body = name.dropLast()
        let digits = body.reversed().prefix { $0.isASCII && $0.isNumber }.count
        let rest = body.dropLast(digits)
        return rest.hasSuffix(mark) ? rest.dropLast(mark.count) : nil
    }
}
