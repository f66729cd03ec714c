// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Any JSON value, so that fields of later versions can be written back unchanged.
enum JSONValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    subscript(name: String) -> JSONValue? {
        guard case .object(let fields) = self else { return nil }
        return fields[name]
    }
}

extension JSONValue: Codable {
    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let boolean = try? value.decode(Bool.self) {
            self = .boolean(boolean)
        } else if let integer = try? value.decode(Int64.self) {
            self = .integer(integer)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([JSONValue].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: JSONValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .boolean(let boolean): try container.encode(boolean)
        case .integer(let integer): try container.encode(integer)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .object(let fields): try container.encode(fields)
        }
    }

    /// Nil if the bytes are not a JSON object, or nest deeper than 16 levels, because the decoder
    /// is recursive.
    static func object(_ bytes: [UInt8]) -> [String: JSONValue]? {
        guard isShallow(bytes),
            case .object(let fields)? = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
        else { return nil }
        return fields
    }

    /// With sorted names, so that equal fields give equal bytes.
    static func bytes(_ fields: [String: JSONValue]) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(JSONValue.object(fields))).map { Array($0) + [0x0a] }
    }

    private static func isShallow(_ bytes: [UInt8]) -> Bool {
        var depth = 0
        var isInText = false
        var isEscaped = false
        for byte in bytes {
            if isInText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInText = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInText = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            if depth > 16 { return false }
        }
        return true
    }
}
