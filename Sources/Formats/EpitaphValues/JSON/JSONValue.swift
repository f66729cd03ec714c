// SPDX-License-Identifier: Apache-2.0

/// Any JSON value (RFC 8259).
package enum JSONValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    /// A whole number, however it was written: `1e3` is one.
    case integer(Int64)
    /// Only for whole numbers that are too large for `integer`.
    case unsigned(UInt64)
    /// Every other number. One that is not finite cannot be written.
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    /// The member of this name; nil if there is none, or this is no object.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let fields) = self else { return nil }
        return fields[name]
    }

    init(_ value: some FixedWidthInteger) {
        if let integer = Int64(exactly: value) {
            self = .integer(integer)
        } else if let unsigned = UInt64(exactly: value) {
            self = .unsigned(unsigned)
        } else {
            self = .number(Double(value))
        }
    }
}

/// Bytes that are no JSON text.
package struct JSONMistake: Error, Equatable {
    /// Where the first byte is that cannot stand there, counted from the first byte.
    package let offset: Int

    /// - Parameter offset: as in the property.
    package init(offset: Int) {
        self.offset = offset
    }
}
