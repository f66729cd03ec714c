// SPDX-License-Identifier: Apache-2.0

extension Epitaph {
    /// A typed value of an attribute or an event's property.
    public enum Value: Sendable, Equatable {
        /// Attributes of the process have at most 20,480 bytes; longer ones are cut and marked.
        case text(String)
        case integer(Int64)
        /// JSON has no numbers that are not finite: an event with one is dropped and counted.
        /// Attributes may have them.
        case number(Double)
        case boolean(Bool)

        /// `text`, `integer`, `number` or `boolean`.
        public var typeName: String {
            switch self {
            case .text: "text"
            case .integer: "integer"
            case .number: "number"
            case .boolean: "boolean"
            }
        }
    }
}

extension Epitaph.Value: ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
    public init(stringLiteral value: String) { self = .text(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension Epitaph.Value: Codable {
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
