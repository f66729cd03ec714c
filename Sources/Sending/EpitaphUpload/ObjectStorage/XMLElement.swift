// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

/// An element of a small XML document, as object stores send: no attributes, no document type, only
/// predefined entities. XML 1.0, w3.org/TR/xml.
package struct XMLElement: Sendable, Equatable {
    /// Without its name space prefix.
    package let name: String
    package internal(set) var text = ""
    /// In the order of the document.
    package internal(set) var children: [XMLElement] = []

    /// Deeper documents are not read.
    static let depthLimit = 16

    init(name: String) {
        self.name = name
    }

    /// The root of a document; nil for anything incomplete, not well-formed, or beyond this subset.
    package init?(_ bytes: [UInt8]) {
        var reader = XMLReader(bytes)
        guard let root = reader.readDocument() else { return nil }
        self = root
    }

    package subscript(name: String) -> String? {
        children.first { $0.name == name }?.text
    }
}

private struct XMLReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func readDocument() -> XMLElement? {
        var open: [XMLElement] = []
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "<") else {
                guard let text = readText() else { return nil }
                if open.isEmpty {
                    // Outside of the root there may be only a byte order mark and blanks.
                    guard text.allSatisfy({ $0.isWhitespace || $0 == "\u{feff}" }) else {
                        return nil
                    }
                } else {
                    open[open.count - 1].text += text
                }
                continue
            }
            if skip("<?", to: "?>") || skip("<!--", to: "-->") { continue }
            if let text = readCharacterData() {
                guard !open.isEmpty else { return nil }
                open[open.count - 1].text += text
                continue
            }
            guard let tag = readTag(), let done = apply(tag, to: &open) else { return nil }
            if let root = done.root { return root }
        }
        return nil
    }

    private enum Tag {
        case start(String)
        case end(String)
        case empty(String)
    }

    /// - Returns: nil if the tag does not match; has the root after the last element.
    private func apply(_ tag: Tag, to open: inout [XMLElement]) -> (root: XMLElement?, Void)? {
        let ended: XMLElement
        switch tag {
        case .start(let name):
            guard open.count < XMLElement.depthLimit else { return nil }
            open.append(XMLElement(name: name))
            return (nil, ())
        case .empty(let name):
            ended = XMLElement(name: name)
        case .end(let name):
            guard let last = open.popLast(), last.name == name else { return nil }
            ended = last
        }
        guard !open.isEmpty else { return (ended, ()) }
        open[open.count - 1].children.append(ended)
        return (nil, ())
    }

    private func has(_ text: String, at place: Int) -> Bool {
        bytes[place...].starts(with: text.utf8)
    }

    private func find(_ text: String, from start: Int) -> Int? {
        guard let first = text.utf8.first else { return nil }
        var place = start
        while let next = bytes[place...].firstIndex(of: first) {
            if has(text, at: next) { return next }
            place = next + 1
        }
        return nil
    }

    private mutating func skip(_ start: String, to end: String) -> Bool {
        guard has(start, at: position),
            let place = find(end, from: position + start.utf8.count)
        else { return false }
        position = place + end.utf8.count
        return true
    }

    private mutating func readCharacterData() -> String? {
        let start = "<![CDATA["
        guard has(start, at: position), let end = find("]]>", from: position + start.utf8.count)
        else { return nil }
        let text = String(decoding: bytes[position + start.utf8.count..<end], as: UTF8.self)
        position = end + 3
        return text
    }

    private mutating func readTag() -> Tag? {
        guard let end = bytes[position...].firstIndex(of: UInt8(ascii: ">")) else { return nil }
        var inside = bytes[position + 1..<end]
        position = end + 1
        let isEnd = inside.first == UInt8(ascii: "/")
        if isEnd { inside = inside.dropFirst() }
        let isEmpty = inside.last == UInt8(ascii: "/")
        let name = inside.prefix { !" \t\r\n/".utf8.contains($0) }
        let local = name.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).last
        guard let local, !local.isEmpty, isNameByte(local[local.startIndex]),
            local.allSatisfy({ isNameByte($0) || "-.".utf8.contains($0) })
        else { return nil }
        let text = String(decoding: local, as: UTF8.self)
        return isEnd ? .end(text) : isEmpty ? .empty(text) : .start(text)
    }

    private func isNameByte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    private mutating func readText() -> String? {
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        var rest = bytes[position..<end]
        position = end
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "&") else {
                text.append(byte)
                continue
            }
            // The longest reference is that of U+10FFFF.
            let name = rest.prefix(12).prefix { $0 != UInt8(ascii: ";") }
            guard name.endIndex < rest.endIndex, rest[name.endIndex] == UInt8(ascii: ";"),
                let character = Self.character(String(decoding: name, as: UTF8.self))
            else { return nil }
            text += Array(String(character).utf8)
            rest = rest[(name.endIndex + 1)...]
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func character(_ reference: String) -> Character? {
        switch reference {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard reference.hasPrefix("#") else { return nil }
            let digits = reference.dropFirst()
            let number =
                digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return number.flatMap(Unicode.Scalar.init).map(Character.init)
        }
    }
}
