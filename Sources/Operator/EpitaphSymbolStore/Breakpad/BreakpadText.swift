// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

/// Writes a Breakpad symbol file: docs/symbol_files.md of google/breakpad. Function records refer
/// to `tables` by number; these belong before the functions and are complete once all are written.
struct BreakpadText {
    private var files = Numbering()
    private var origins = Numbering()
    private var function: BreakpadFunction?
    /// Start of the function, which groups its parts.
    private var functionStart: UInt64 = 0

    init() {}

    /// `MODULE` and `INFO`, the first lines.
    ///
    /// - Parameters:
    ///   - architecture: `x86_64` or `arm64`.
    ///   - name: of the described file; readers ask for it.
    static func head(
        _ identity: BreakpadIdentity, architecture: String, name: String
    ) -> String {
        "MODULE Linux \(architecture) \(identity.debugID) \(line(name))\n"
            + "INFO CODE_ID \(identity.codeID)\n"
    }

    /// `FILE` and `INLINE_ORIGIN`.
    var tables: String {
        files.records("FILE") + origins.records("INLINE_ORIGIN")
    }

    /// Adds code in address order. Returns the records of completed functions.
    ///
    /// - Parameters:
    ///   - start: the start of the outermost call's function.
    ///   - calls: innermost first; the last one has a function.
    mutating func add(
        _ range: Range<UInt64>, functionStart start: UInt64, _ calls: [BreakpadCall]
    ) -> String {
        let part = BreakpadFunction.Part(range: range, calls: calls)
        if var open = function, open.range.upperBound == range.lowerBound, functionStart == start,
            open.name == calls.last?.function
        {
            open.append(part)
            function = open
            return ""
        }
        defer {
            function = BreakpadFunction(part)
            functionStart = start
        }
        return finish()
    }

    mutating func finish() -> String {
        guard let function else { return "" }
        self.function = nil
        var text = "FUNC \(Self.place(function.range)) 0 \(Self.line(function.name))\n"
        for inline in function.inlines {
            let site = inline.callSite ?? .unknown
            text +=
                "INLINE \(inline.depth) \(site.line) \(files.number(of: site.file)) "
                + "\(origins.number(of: inline.function)) \(Self.place(inline.range))\n"
        }
        for (range, place) in function.lines {
            text += "\(Self.place(range)) \(place.line) \(files.number(of: place.file))\n"
        }
        return text
    }

    /// `PUBLIC`: a name without a size.
    static func label(_ address: UInt64, _ name: String) -> String {
        "PUBLIC \(hexadecimal(address)) 0 \(line(name))\n"
    }

    private struct Numbering {
        private var numbers: [String: Int] = [:]
        private var names: [String] = []

        mutating func number(of name: String) -> Int {
            if let known = numbers[name] { return known }
            numbers[name] = names.count
            names.append(BreakpadText.line(name))
            return names.count - 1
        }

        func records(_ word: String) -> String {
            names.enumerated().map { "\(word) \($0) \($1)\n" }.joined()
        }
    }

    static func hexadecimal(_ number: UInt64) -> String { String(number, radix: 16) }

    private static func place(_ range: Range<UInt64>) -> String {
        "\(hexadecimal(range.lowerBound)) \(hexadecimal(range.upperBound - range.lowerBound))"
    }

    private static func line(_ text: String) -> String {
        let isPlain = !text.utf8.contains { $0 == 10 || $0 == 13 }
        let plain = isPlain ? text : String(text.map { $0.isNewline ? " " : $0 })
        return plain.isEmpty ? "??" : plain
    }
}
