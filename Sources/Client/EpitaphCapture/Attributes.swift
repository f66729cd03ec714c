// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames
import Synchronization

extension Epitaph {
    /// An attribute of every report of this process: text, a number or a Bool; nil removes it.
    /// Thread-safe and atomic: a crash during the call has the old or the new value.
    ///
    ///     Epitaph["tenant"] = tenant
    ///     Epitaph["connections"] = 17
    ///     Epitaph["tenant"] = nil
    ///
    /// At most 128, with names of 1 to 255 bytes. Invalid ones, and any set before the start, are
    /// ignored and read as nil. Reading returns an `Epitaph.Value` with text cut as in a report.
    public static subscript(name: String) -> (any Epitaph.ValueConvertible)? {
        get {
            CrashReporter.isStarted.load(ordering: .relaxed) ? attributes[name] : nil
        }
        set { _ = set(name, to: newValue?.epitaphValue) }
    }

    @discardableResult
    package static func set(_ name: String, to value: Value?) -> epitaph_status {
        guard CrashReporter.isStarted.load(ordering: .relaxed) else { return EPITAPH_NOT_STARTED }
        // C would take what comes before a zero byte for the name: that of another attribute.
        guard !name.utf8.contains(0) else { return EPITAPH_INVALID_OPTION }
        return switch value {
        case .text(let text): setText(name, text)
        case .integer(let number): epitaph_attribute_set_integer(name, number)
        case .number(let number): epitaph_attribute_set_number(name, number)
        case .boolean(let truth): epitaph_attribute_set_boolean(name, truth ? 1 : 0)
        case nil: epitaph_attribute_remove(name)
        }
    }

    /// The process's attributes, without those of scopes, with strings cut as in a report. Copies
    /// up to 20 KiB for each, under the lock that setters take.
    public static var attributes: [String: Epitaph.Value] {
        let text = UnsafeMutablePointer<CChar>.allocate(capacity: 20_480)
        defer { text.deallocate() }
        var copy = epitaph_attribute_copy()
        copy.string = text
        var attributes: [String: Value] = [:]
        var place: UInt32 = 0
        while epitaph_attribute_read(&place, &copy) == EPITAPH_OK {
            let name = withUnsafeBytes(of: copy.name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            attributes[name] = Value(copy)
        }
        return attributes
    }

    private static func setText(_ name: String, _ text: String) -> epitaph_status {
        var text = text
        return text.withUTF8 { text in
            var attribute = epitaph_attribute()
            attribute.type = EPITAPH_ATTRIBUTE_STRING
            // An empty buffer may have no address, and C takes NULL for no text.
            return withUnsafePointer(to: CChar(0)) { empty in
                attribute.string = UnsafeRawPointer(text.baseAddress)?.chars ?? empty
                attribute.string_bytes = text.count
                return epitaph_attribute_set(name, &attribute)
            }
        }
    }
}

extension Epitaph.Value {
    fileprivate init(_ copy: epitaph_attribute_copy) {
        switch copy.type {
        case EPITAPH_ATTRIBUTE_INTEGER: self = .integer(copy.integer)
        case EPITAPH_ATTRIBUTE_NUMBER: self = .number(copy.number)
        case EPITAPH_ATTRIBUTE_BOOLEAN: self = .boolean(copy.integer != 0)
        default:
            let bytes = UnsafeRawBufferPointer(start: copy.string, count: copy.string_bytes)
            self = .text(String(decoding: bytes, as: UTF8.self))
        }
    }

    fileprivate func fill(
        _ attribute: inout epitaph_attribute, _ base: UnsafePointer<CChar>, _ text: Range<Int>
    ) {
        switch self {
        case .text:
            attribute.type = EPITAPH_ATTRIBUTE_STRING
            attribute.string = base + text.lowerBound
            attribute.string_bytes = text.count
        case .integer(let number):
            attribute.type = EPITAPH_ATTRIBUTE_INTEGER
            attribute.integer = number
        case .number(let number):
            attribute.type = EPITAPH_ATTRIBUTE_NUMBER
            attribute.number = number
        case .boolean(let truth):
            attribute.type = EPITAPH_ATTRIBUTE_BOOLEAN
            attribute.integer = truth ? 1 : 0
        }
    }
}

enum AttributeList {
    static func withPointer<Result>(
        _ attributes: [String: any Epitaph.ValueConvertible],
        _ body: (UnsafePointer<epitaph_named_attribute>?, Int) -> Result
    ) -> Result {
        guard !attributes.isEmpty else { return body(nil, 0) }
        let sorted = attributes.sorted { $0.key < $1.key }.map { ($0.key, $0.value.epitaphValue) }
        var bytes: [UInt8] = []
        var places: [(name: Range<Int>, text: Range<Int>)] = []
        for (name, value) in sorted {
            let start = bytes.count
            bytes += name.utf8
            let middle = bytes.count
            if case .text(let text) = value { bytes += text.utf8 }
            places.append((start..<middle, middle..<bytes.count))
        }
        // Ensures a base address even if all texts are empty.
        bytes.append(0)
        return bytes.withUnsafeBytes { bytes in
            let base = bytes.baseAddress.unsafelyUnwrapped.chars
            let named = zip(sorted, places).map { pair, place in
                var named = epitaph_named_attribute()
                named.name = base + place.name.lowerBound
                named.name_bytes = place.name.count
                pair.1.fill(&named.value, base, place.text)
                return named
            }
            return named.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
        }
    }
}

extension UnsafeRawPointer {
    var chars: UnsafePointer<CChar> { assumingMemoryBound(to: CChar.self) }
}
