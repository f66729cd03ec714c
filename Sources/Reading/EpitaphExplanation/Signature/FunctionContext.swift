// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbols

/// The Swift module or outermost C++ namespace in a function's name.
struct FunctionContext {
    /// `Swift` for `static Swift.String.== infix(…)`, `std` for `bool std::operator==<char>(…)`.
    let library: String?

    /// - Parameter name: demangled, without the marks that `FunctionName` removes.
    init(_ name: String) {
        library = Self.swiftModule(of: name) ?? Self.namespace(of: name)
    }

    var isRuntime: Bool { library.map(Self.runtimes.contains) ?? false }

    private static let runtimes: Set<String> = [
        "Swift", "_Concurrency", "_StringProcessing", "_RegexParser", "RegexBuilder",
        "Synchronization", "Observation", "Distributed", "Foundation", "FoundationEssentials",
        "FoundationInternationalization", "FoundationNetworking", "Dispatch", "std",
        "__gnu_cxx", "__cxxabiv1", "swift",
    ]

    /// Printed by Swift's demangler before the function that contains the code.
    private static let parts = ["closure #", "implicit closure #", "default argument "]
    private static let initializer = "variable initialization expression of "
    private static let words = [
        "static ", "implicit ", "dynamic ", "distributed ", "class ", "async ", "override ",
    ]

    private static func swiftModule(of name: String) -> String? {
        var text = Substring(name)
        if parts.contains(where: text.hasPrefix) {
            // `closure #1 (A) -> () in closure #2 () -> () in M.f()`, not `(extension in M):`.
            let mark = text.hasPrefix("default") ? " of " : " in "
            text = text.after(last: mark, unless: "(extension")
        }
        if text.hasPrefix(initializer) { text = text.dropFirst(initializer.count) }
        while let word = words.first(where: { text.hasPrefix($0) }) {
            text = text.dropFirst(word.count)
        }
        // An extension belongs to its author, whatever it extends.
        if text.hasPrefix("(extension in "), let end = text.firstPlace(of: "):") {
            return String(text[..<end.lowerBound].dropFirst("(extension in ".count))
        }
        let module = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        let rest = text[module.endIndex...]
        guard !module.isEmpty, rest.hasPrefix("."), !rest.hasPrefix("..") else { return nil }
        return String(module)
    }

    /// `user` for `std::pair<int, int> user::f<int>(int)`: the result's type comes before it.
    private static func namespace(of name: String) -> String? {
        guard name.has("::") else { return nil }
        let bytes = Array(name.utf8)
        let qualified = String(decoding: bytes[CxxDeclarator.start(bytes)...], as: UTF8.self)
        guard let end = qualified.firstPlace(of: "::") else { return nil }
        let first = qualified[..<end.lowerBound]
        return first.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } && !first.isEmpty
            ? String(first) : nil
    }
}

extension Substring {
    fileprivate func after(last mark: String, unless prefix: String) -> Substring {
        var found = self
        var rest = self
        while let place = rest.firstPlace(of: mark) {
            rest = rest[place.upperBound...]
            if !self[..<place.lowerBound].hasSuffix(prefix) { found = rest }
        }
        return found
    }
}
