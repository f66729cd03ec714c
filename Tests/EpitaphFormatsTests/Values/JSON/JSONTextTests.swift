// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@Suite struct JSONTextTests {
    private struct Sample: Codable, Equatable {
        enum Colour: String, Codable {
            case red
            case lightBlue = "light/blue"
        }

        struct Point: Codable, Equatable {
            var x: Int32
            var y: Double
        }

        var name: String
        var missing: Int?
        var colour: Colour?
        var points: [Point]
        var byName: [String: Point]
        var optionals: [Int?]
        var largest: UInt64
        var smallest: Int64
        var isTrue: Bool
    }

    private static let sample = Sample(
        name: "a\"b", colour: .lightBlue, points: [.init(x: -1, y: 0.5), .init(x: 2, y: 3)],
        byName: ["q": .init(x: 0, y: 1e16), "p": .init(x: 1, y: -0.0)], optionals: [nil, 1],
        largest: .max, smallest: .min, isTrue: true)

    private static let text =
        #"{"byName":{"p":{"x":1,"y":-0},"q":{"x":0,"y":1e+16}},"colour":"light/blue","#
        + #""isTrue":true,"largest":18446744073709551615,"name":"a\"b","optionals":[null,1],"#
        + #""points":[{"x":-1,"y":0.5},{"x":2,"y":3}],"smallest":-9223372036854775808}"#

    private func text(_ value: some Encodable, isPretty: Bool = false) throws -> String {
        String(decoding: try JSONText.encode(value, isPretty: isPretty), as: UTF8.self)
    }

    private func value<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONText.decode(type, from: text.utf8)
    }

    @Test("A value has one text, without what is nil, and can be read from it")
    func roundTrip() throws {
        #expect(try text(Self.sample) == Self.text)
        #expect(try value(Sample.self, Self.text) == Self.sample)
    }

    @Test("Members are sorted by the bytes of their names")
    func order() throws {
        let names = ["B", "a", "A", "a10", "a9", "_", "e\u{301}", "z", "\u{fffd}", "😀", ""]
        let members = Dictionary(uniqueKeysWithValues: zip(names, 1...))
        #expect(
            try text(members) == "{\"\":11,\"A\":3,\"B\":1,\"_\":6,\"a\":2,\"a10\":4,\"a9\":5,"
                + "\"e\u{301}\":7,\"z\":8,\"\u{fffd}\":9,\"😀\":10}")
    }

    @Test("Only quotes, backslashes and the first 32 characters are escaped")
    func escapes() throws {
        #expect(
            try text("\"\\/\u{0}\u{8}\t\n\u{b}\u{c}\r\u{1f}\u{7f}\u{2028}é😀")
                == "\"\\\"\\\\/\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\u{7f}\u{2028}é😀\"")
    }

    @Test("Numbers have the fewest digits that are read as the same number")
    func numbers() throws {
        #expect(
            try text([
                0, -0.0, 1, 1e15, 1e16, 0.1, 1e-5, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
            ])
                == "[0,-0,1,1000000000000000,1e+16,0.1,1e-05,5e-324,1.7976931348623157e+308]")
        #expect(try text([Float(0.1), 2]) == "[0.1,2]")
    }

    @Test("Numbers that are not finite have no JSON", arguments: [Double.nan, .infinity])
    func notFinite(number: Double) {
        #expect(throws: EncodingError.self) { try JSONText.encode(["a": [number]]) }
    }

    @Test("A pretty text has a line for each value, and an empty one where there is none")
    func pretty() throws {
        #expect(
            try text(["a": [[1, 2], []]], isPretty: true)
                == "{\n  \"a\" : [\n    [\n      1,\n      2\n    ],\n    [\n\n    ]\n  ]\n}")
    }

    @Test("A value that writes nothing is an empty object")
    func nothing() throws {
        struct Nothing: Encodable {
            func encode(to encoder: any Encoder) {}
        }
        #expect(try text([Nothing()]) == "[{}]")
        #expect(try text([String: Int]()) == "{}")
        #expect(try text([Int]()) == "[]")
    }

    @Test("A number is read as every type that it fits, and as no other")
    func numberTypes() throws {
        #expect(try value([UInt8].self, "[0,255,1e2,3.0,-0]") == [0, 255, 100, 3, 0])
        #expect(try value([Double].self, "[1,18446744073709551615]") == [1, 0x1p64])
        for text in ["256", "-1", "0.5", "1e3", "\"1\"", "true"] {
            #expect(throws: DecodingError.self) { try value(UInt8.self, text) }
        }
        #expect(throws: DecodingError.self) { try value(UInt64.self, "18446744073709551616") }
        #expect(throws: DecodingError.self) { try value(Int64.self, "92233720368547758.7") }
        #expect(throws: DecodingError.self) { try value(Float.self, "1e39") }
        #expect(throws: DecodingError.self) { try value(Bool.self, "1") }
    }

    @Test("A missing member, a null and another type are told apart")
    func errors() {
        struct Holder: Decodable {
            let a: Int
        }
        func error(_ text: String) -> String {
            do {
                return "\(try value(Holder.self, text).a)"
            } catch DecodingError.keyNotFound(let key, _) {
                return "no \(key.stringValue)"
            } catch DecodingError.valueNotFound {
                return "null"
            } catch DecodingError.typeMismatch {
                return "type"
            } catch {
                return "\(error)"
            }
        }
        #expect(error("{\"a\":7,\"b\":[]}") == "7")
        #expect(error("{}") == "no a")
        #expect(error("{\"a\":null}") == "null")
        #expect(error("{\"a\":\"7\"}") == "type")
        #expect(error("[]") == "type")
        #expect(error("{") == "\(JSONMistake.self)(offset: 1)")
    }

    @Test("An element that cannot be decoded can be decoded as something else")
    func elements() throws {
        struct Words: Decodable {
            var words: [String] = []

            init(from decoder: any Decoder) throws {
                var elements = try decoder.unkeyedContainer()
                while !elements.isAtEnd {
                    if try elements.decodeNil() {
                        words.append("nil")
                    } else if let number = try? elements.decode(Int.self) {
                        words.append("\(number)")
                    } else {
                        words.append(try elements.decode(String.self))
                    }
                }
                _ = try? elements.decode(String.self)
            }
        }
        #expect(try value(Words.self, "[1,\"a\",null,2]").words == ["1", "a", "nil", "2"])
    }

    @Test("Containers that a type makes by hand are filled where they were made")
    func nested() throws {
        struct ByHand: Codable, Equatable {
            enum Key: String, CodingKey {
                case inner, list
            }
            var number = 0

            init(number: Int) { self.number = number }

            init(from decoder: any Decoder) throws {
                let outer = try decoder.container(keyedBy: Key.self)
                let inner = try outer.nestedContainer(keyedBy: Key.self, forKey: .inner)
                var list = try inner.nestedUnkeyedContainer(forKey: .list)
                number = try list.decode(Int.self)
            }

            func encode(to encoder: any Encoder) throws {
                var outer = encoder.container(keyedBy: Key.self)
                var inner = outer.nestedContainer(keyedBy: Key.self, forKey: .inner)
                var list = inner.nestedUnkeyedContainer(forKey: .list)
                try outer.encodeNil(forKey: .list)
                try list.encode(number)
                #expect(list.count == 1)
            }
        }
        let written = #"{"inner":{"list":[5]},"list":null}"#
        #expect(try text(ByHand(number: 5)) == written)
        #expect(try value(ByHand.self, written) == ByHand(number: 5))
    }
}
