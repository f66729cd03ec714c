// SPDX-License-Identifier: Apache-2.0

import Glibc

enum SwiftShortName {
    static func shortened(_ rawName: String) -> String? {
        guard rawName.utf8.count <= Demangler.lengthLimit,
            let text = simplified(rawName), !text.isEmpty, text != rawName
        else { return nil }
        let name = withoutOperatorKind(withoutPrefixes(text))
        // One body for several functions, of which any may have been called: docs/ABI/Mangling.rst.
        return rawName.hasSuffix("Tm") ? "merged \(name)" : name
    }

    private static let prefixes = [
        "specialized ", "partial apply for ", "merged ", "@objc ", "@nonobjc ",
    ]

    private static func withoutPrefixes(_ name: String) -> String {
        var name = name[...]
        while let prefix = prefixes.first(where: { name.hasPrefix($0) }) {
            name = name.dropFirst(prefix.count)
        }
        return String(name)
    }

    /// `static Money.==(_:_:)` for `static Money.== infix(_:_:)`.
    private static func withoutOperatorKind(_ name: String) -> String {
        for kind in [" infix", " prefix", " postfix"] {
            let mark = Array("\(kind)(".utf8)
            let bytes = Array(name.utf8)
            guard bytes.count > mark.count else { continue }
            for start in 0..<bytes.count - mark.count
            where bytes[start..<start + mark.count].elementsEqual(mark) {
                let kept = bytes[..<start] + bytes[(start + mark.count - 1)...]
                return String(decoding: kept, as: UTF8.self)
            }
        }
        return name
    }

    private static func simplified(_ rawName: String) -> String? {
        var size = 0
        guard
            let text = swift_backtrace_demangle(rawName, rawName.utf8.count, nil, &size)
        else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}

// stdlib/public/runtime/Backtrace.cpp, Swift 5.9; without a buffer returns malloc(3) memory.
@_silgen_name("_swift_backtrace_demangle")
private func swift_backtrace_demangle(
    _ name: UnsafePointer<CChar>, _ length: Int, _ output: UnsafeMutablePointer<CChar>?,
    _ outputSize: UnsafeMutablePointer<Int>?
) -> UnsafeMutablePointer<CChar>?
