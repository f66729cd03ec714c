// SPDX-License-Identifier: Apache-2.0

/// Any JSON value (RFC 8259).
package enum JSONValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    /// A whole number, also if written as `1e3`.
    case integer(Int64)
    /// Only for whole numbers too large for `integer`.
    case unsigned(UInt64)
    /// Any other number. One that is not finite cannot be written.
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

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

package struct JSONMistake: Error, Equatable {
    package let offset: Int

    package init(offset: Int) {
        self.offset = offset
    }
}

extension Epitaph.Value {
    /// A number that JSON has not got is a text.
    package var json: JSONValue {
        switch self {
        case .text(let text): .text(text)
        case .integer(let integer): .integer(integer)
        case .number(let number): number.isFinite ? .number(number) : .text("\(number)")
        case .boolean(let boolean): .boolean(boolean)
        }
    }
}
