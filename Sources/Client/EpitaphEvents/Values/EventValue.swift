// SPDX-License-Identifier: Apache-2.0

/// The value of a property: in JSON a string, an integer, a number or a boolean.
public enum EventValue: Sendable, Equatable {
    /// A text.
    case text(String)
    /// A whole number.
    case integer(Int64)
    /// A number. JSON cannot represent one that is not finite: the event is then dropped and
    /// counted.
    case number(Double)
    /// A truth value.
    case boolean(Bool)

    /// The name of its type: `text`, `integer`, `number` or `boolean`.
    public var typeName: String {
        switch self {
        case .text: "text"
        case .integer: "integer"
        case .number: "number"
        case .boolean: "boolean"
        }
    }

    var byteCount: Int {
        if case .text(let text) = self { text.utf8.count } else { 16 }
    }
}

extension EventValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
    public init(stringLiteral value: String) { self = .text(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension EventValue: Codable {
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let boolean = try? value.decode(Bool.self) {
            self = .boolean(boolean)
        } else if let integer = try? value.decode(Int64.self) {
            self = .integer(integer)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else {
            self = .text(try value.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .integer(let integer): try container.encode(integer)
        case .number(let number): try container.encode(number)
        case .boolean(let boolean): try container.encode(boolean)
        }
    }
}

extension [String: EventValue] {
    var byteCount: Int {
        reduce(0) { $0 + $1.key.utf8.count + $1.value.byteCount }
    }
}

extension [String: String] {
    var byteCount: Int {
        reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }
}
