// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Removes default template arguments, inline namespaces of the standard library and ABI tags. Text
/// whose brackets do not nest as in C++ stays unchanged.
package struct CxxShortName {
    private struct Malformed: Error {}

    private let text: [UInt8]
    private var position = 0
    private var depth = 0

    private static let depthLimit = 200
    private static let lengthLimit = 65_536

    package static func shortened(_ name: String) -> String {
        let bytes = Array(name.utf8)
        guard bytes.count <= lengthLimit, mayBeCxx(bytes) else { return name }
        var reader = CxxShortName(text: withoutInlineNamespaces(bytes))
        guard let short = try? reader.read(until: nil), !short.isEmpty else { return name }
        return String(decoding: short, as: UTF8.self)
    }

    private init(text: [UInt8]) {
        self.text = text
    }

    private static func mayBeCxx(_ bytes: [UInt8]) -> Bool {
        bytes.contains(UInt8(ascii: "<")) || bytes.contains(UInt8(ascii: "["))
            || bytes.contains(UInt8(ascii: ":"))
    }

    // MARK: Inline namespaces and ABI tags

    /// libstdc++'s and libc++'s.
    private static let inlineNamespaces = [
        "__cxx11::", "__1::", "__2::", "__ndk1::", "_V2::", "__7::", "__8::", "__fs::",
        "__n4861::",
    ].map { Array($0.utf8) }

    private static func withoutInlineNamespaces(_ bytes: [UInt8]) -> [UInt8] {
        let separator = Array("::".utf8)
        let tag = Array("[abi:".utf8)
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            let rest = bytes[position...]
            // Only parts that begin with an underscore or a bracket can be left out.
            switch bytes[position] {
            case UInt8(ascii: "_") where kept.suffix(2).elementsEqual(separator):
                if let name = inlineNamespaces.first(where: rest.starts(with:)) {
                    position += name.count
                    continue
                }
            case UInt8(ascii: "[") where rest.starts(with: tag):
                if let end = rest.firstIndex(of: UInt8(ascii: "]")) {
                    position = end + 1
                    continue
                }
            default: break
            }
            kept.append(bytes[position])
            position += 1
        }
        return kept
    }

    // MARK: Nested brackets

    private static let brackets: [UInt8: UInt8] = [
        UInt8(ascii: "("): UInt8(ascii: ")"), UInt8(ascii: "["): UInt8(ascii: "]"),
        UInt8(ascii: "{"): UInt8(ascii: "}"),
    ]

    /// Stops before the closing bracket; among template arguments also before a comma.
    private mutating func read(until closing: UInt8?) throws -> [UInt8] {
        guard depth < Self.depthLimit else { throw Malformed() }
        depth += 1
        defer { depth -= 1 }
        var output: [UInt8] = []
        while position < text.count {
            let byte = text[position]
            if byte == closing { return output }
            if closing == UInt8(ascii: ">"), byte == UInt8(ascii: ",") { return output }
            if takeOperator(into: &output) { continue }
            position += 1
            if let end = Self.brackets[byte] {
                output.append(byte)
                output += try read(until: end)
                try take(end)
                output.append(end)
            } else if byte == UInt8(ascii: "<"), isBracket(at: position - 1) {
                try readArguments(of: &output)
            } else {
                output.append(byte)
            }
        }
        guard closing == nil else { throw Malformed() }
        return output
    }

    private mutating func take(_ byte: UInt8) throws {
        guard position < text.count, text[position] == byte else { throw Malformed() }
        position += 1
    }

    /// `a < b` is a comparison in a constant.
    private func isBracket(at index: Int) -> Bool {
        let blank = UInt8(ascii: " ")
        let isAfterBlank = index > 0 && text[index - 1] == blank
        return !(isAfterBlank && index + 1 < text.count && text[index + 1] == blank)
    }

    /// Operators with brackets or commas, longest first, and the arrow.
    private static let operators = [
        "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "[]", "<", ">", ",",
    ].map { Array($0.utf8) }
    private static let keyword = Array("operator".utf8)
    private static let arrow = Array("->".utf8)

    private mutating func takeOperator(into output: inout [UInt8]) -> Bool {
        let rest = text[position...]
        if rest.starts(with: Self.arrow) {
            output += Self.arrow
            position += Self.arrow.count
            return true
        }
        guard text[position] == UInt8(ascii: "o"), rest.starts(with: Self.keyword),
            !(output.last.map(Self.isLetter) ?? false)
        else { return false }
        output += Self.keyword
        position += Self.keyword.count
        let sign = text[position...]
        if let name = Self.operators.first(where: sign.starts(with:)) {
            output += name
            position += name.count
        }
        return true
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    private mutating func readArguments(of output: inout [UInt8]) throws {
        var arguments: [String] = []
        while true {
            let argument = try read(until: UInt8(ascii: ">"))
            arguments.append(Self.trimmed(argument))
            guard position < text.count else { throw Malformed() }
            position += 1
            if text[position - 1] == UInt8(ascii: ">") { break }
        }
        let template = Self.lastName(output)
        arguments.removeLast(CxxDefaults.count(of: template, arguments))
        if let word = CxxDefaults.word(for: template, arguments) {
            output.removeLast(template.utf8.count)
            output += word.utf8
        } else {
            output += "<\(arguments.joined(separator: ", "))>".utf8
        }
    }

    private static func trimmed(_ bytes: [UInt8]) -> String {
        let blank = UInt8(ascii: " ")
        var slice = bytes[...]
        while slice.first == blank { slice = slice.dropFirst() }
        while slice.last == blank { slice = slice.dropLast() }
        return String(decoding: slice, as: UTF8.self)
    }

    private static func lastName(_ output: [UInt8]) -> String {
        let name = output.reversed().prefix { isLetter($0) || $0 == UInt8(ascii: ":") }
        return String(decoding: name.reversed(), as: UTF8.self)
    }
}
