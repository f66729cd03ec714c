// SPDX-License-Identifier: Apache-2.0

import CEpitaph

/// The value of an attribute, with its type.
///
///     try reporter.setAttribute("tenant", to: "acme")
///     try reporter.setAttribute("connections", to: 17)
public enum AttributeValue: Sendable, Equatable {
    /// Text. Attributes of the process have at most 20,480 bytes; longer ones are cut and marked as
    /// cut.
    case string(String)
    /// A whole number.
    case integer(Int64)
    /// A floating-point number, which need not be finite.
    case number(Double)
    /// True or false.
    case boolean(Bool)
}

extension AttributeValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) { self = .string(value) }
}

extension AttributeValue: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension AttributeValue: ExpressibleByFloatLiteral {
    public init(floatLiteral value: Double) { self = .number(value) }
}

extension AttributeValue: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension CrashReporter {
    /// Sets an attribute of every report of this process. A crash a microsecond later contains it;
    /// a crash during the call contains the old or the new value. From any thread.
    ///
    /// An attribute is an annotation with a type: both use the same names.
    ///
    /// - Parameters:
    ///   - name: 1 to 255 bytes. 128 names can be in use.
    ///   - value: see `AttributeValue` for limits.
    public func setAttribute(
        _ name: String, to value: AttributeValue
    ) throws(AnnotationError) {
        let status =
            switch value {
            case .string(let text): Self.setText(name, text)
            case .integer(let number): epitaph_attribute_set_integer(name, number)
            case .number(let number): epitaph_attribute_set_number(name, number)
            case .boolean(let truth): epitaph_attribute_set_boolean(name, truth ? 1 : 0)
            }
        try AnnotationError.check(status, name)
    }

    /// Removes an attribute; does nothing if there is none of this name.
    public func removeAttribute(_ name: String) throws(AnnotationError) {
        try AnnotationError.check(epitaph_attribute_remove(name), name)
    }

    /// The present attributes of the process, with strings cut as in a report. Attributes of scopes
    /// are not included. Copies up to 20 KiB for each, under the lock that setting one takes.
    public var attributes: [String: AttributeValue] {
        let text = UnsafeMutablePointer<CChar>.allocate(capacity: 20_480)
        defer { text.deallocate() }
        var copy = epitaph_attribute_copy()
        copy.string = text
        var attributes: [String: AttributeValue] = [:]
        var place: UInt32 = 0
        while epitaph_attribute_read(&place, &copy) == EPITAPH_OK {
            let name = withUnsafeBytes(of: copy.name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            attributes[name] = AttributeValue(copy)
        }
        return attributes
    }

    private static func setText(_ name: String, _ text: String) -> epitaph_status {
        var text = text
        return text.withUTF8 { text in
            var attribute = epitaph_attribute()
            attribute.type = EPITAPH_ATTRIBUTE_STRING
            // An empty buffer has no address, and a null pointer would not be an empty text.
            return withUnsafePointer(to: CChar(0)) { empty in
                attribute.string = UnsafeRawPointer(text.baseAddress)?.chars ?? empty
                attribute.string_bytes = text.count
                return epitaph_attribute_set(name, &attribute)
            }
        }
    }
}

extension AttributeValue {
    fileprivate init(_ copy: epitaph_attribute_copy) {
        switch copy.type {
        case EPITAPH_ATTRIBUTE_INTEGER: self = .integer(copy.integer)
        case EPITAPH_ATTRIBUTE_NUMBER: self = .number(copy.number)
        case EPITAPH_ATTRIBUTE_BOOLEAN: self = .boolean(copy.integer != 0)
        default:
            let bytes = UnsafeRawBufferPointer(start: copy.string, count: copy.string_bytes)
            self = .string(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// In the form that C needs; its text begins `text` bytes into the buffer.
    fileprivate func fill(
        _ attribute: inout epitaph_attribute, _ base: UnsafePointer<CChar>, _ text: Range<Int>
    ) {
        switch self {
        case .string:
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

/// Attributes in the form that C takes, sorted by name, valid during one call.
enum AttributeList {
    static func withPointer<Result>(
        _ attributes: [String: AttributeValue],
        _ body: (UnsafePointer<epitaph_named_attribute>?, Int) -> Result
    ) -> Result {
        guard !attributes.isEmpty else { return body(nil, 0) }
        let sorted = attributes.sorted { $0.key < $1.key }
        var bytes: [UInt8] = []
        var places: [(name: Range<Int>, text: Range<Int>)] = []
        for (name, value) in sorted {
            let start = bytes.count
            bytes += name.utf8
            let middle = bytes.count
            if case .string(let text) = value { bytes += text.utf8 }
            places.append((start..<middle, middle..<bytes.count))
        }
        // So that there is an address even if all texts are empty.
        bytes.append(0)
        return bytes.withUnsafeBytes { bytes in
            let base = bytes.baseAddress.unsafelyUnwrapped.chars
            let named = zip(sorted, places).map { pair, place in
                var named = epitaph_named_attribute()
                named.name = base + place.name.lowerBound
                named.name_bytes = place.name.count
                pair.value.fill(&named.value, base, place.text)
                return named
            }
            return named.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
        }
    }
}

extension UnsafeRawPointer {
    /// The same bytes as C's `char`.
    var chars: UnsafePointer<CChar> { assumingMemoryBound(to: CChar.self) }
}
