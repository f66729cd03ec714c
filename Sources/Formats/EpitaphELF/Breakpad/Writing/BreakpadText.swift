// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Writes a Breakpad symbol file: docs/symbol_files.md of google/breakpad.
///
/// Function records refer to files and names by number. `tables` lists these; it belongs before the
/// functions and is complete once all are written.
package struct BreakpadText {
    private var files = Numbering()
    private var origins = Numbering()
    private var function: BreakpadFunction?
    /// Start of the function, which groups its parts.
    private var functionStart: UInt64 = 0

    package init() {}

    /// `MODULE` and `INFO`, the first lines.
    ///
    /// - Parameters:
    ///   - architecture: `x86_64` or `arm64`.
    ///   - name: of the described file; readers ask for it.
    package static func head(
        _ identity: BreakpadIdentity, architecture: String, name: String
    ) -> String {
        "MODULE Linux \(architecture) \(identity.debugID) \(line(name))\n"
            + "INFO CODE_ID \(identity.codeID)\n"
    }

    /// `FILE` and `INLINE_ORIGIN`.
    package var tables: String {
        files.records("FILE") + origins.records("INLINE_ORIGIN")
    }

    /// Adds code in address order.
    ///
    /// - Parameters:
    ///   - range: addresses as in the file.
    ///   - start: the start of the outermost call's function.
    ///   - calls: innermost first; the last one has a function.
    /// - Returns: the records of completed functions.
    package mutating func add(
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

    package mutating func finish() -> String {
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
    package static func label(_ address: UInt64, _ name: String) -> String {
        "PUBLIC \(hexadecimal(address)) 0 \(line(name))\n"
    }

    /// Names in order of first use.
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

    /// A record is one line.
    private static func line(_ text: String) -> String {
        let isPlain = !text.utf8.contains { $0 == 10 || $0 == 13 }
        let plain = isPlain ? text : String(text.map { $0.isNewline ? " " : $0 })
        return plain.isEmpty ? "??" : plain
    }
}

/// Breakpad's identifiers of a module: docs/symbol_files.md of google/breakpad.
package struct BreakpadIdentity: Sendable, Equatable {
    /// The first 16 bytes of the build id as a GUID, whose first three fields are little-endian,
    /// and an age, always 0 for ELF.
    package let debugID: String
    package let codeID: String

    /// Pads a build id of fewer than 16 bytes with zeros.
    package init(buildID: [UInt8]) {
        codeID = Self.digits(buildID)
        let bytes = Array((buildID + Array(repeating: 0, count: 16)).prefix(16))
        let order = [3, 2, 1, 0, 5, 4, 7, 6] + Array(8..<16)
        debugID = Self.digits(order.map { bytes[$0] }) + "0"
    }

    /// Where readers look for the file: `NAME/ID/NAME.sym` below a directory.
    package func path(ofModule name: String) -> (directories: [String], file: String) {
        ([name, debugID], name + ".sym")
    }

    private static func digits(_ bytes: [UInt8]) -> String {
        let digits = Array<Character>("0123456789ABCDEF")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
