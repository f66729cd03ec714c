// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@Suite struct JSONParsingTests {
    private func parsed(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: text.utf8)
    }

    @Test("A text of every kind of value is read, with blanks wherever they may be")
    func everything() throws {
        let text =
            "\u{feff} {\"a\" : [ 1 ,\t-2.5 , true,false ,null ] ,\r\n\"\" : { } , \"l\":[ ]}\n"
        #expect(
            try parsed(text)
                == .object([
                    "a": .list([.integer(1), .number(-2.5), .boolean(true), .boolean(false), .null]
                    ),
                    "": .object([:]), "l": .list([]),
                ]))
    }

    @Test(
        "What RFC 8259 does not allow is refused at its first wrong byte",
        arguments: [
            ("", 0), (" ", 1), ("[1] x", 4), ("[1]\0", 3), ("[1,]", 3), ("[1 2]", 3), ("[,1]", 1),
            ("{\"a\":1,}", 7), ("{\"a\" 1}", 5), ("{a:1}", 1), ("{1:1}", 1), ("[", 1),
            ("{\"a\":", 5), ("tru", 0), ("nul", 0), ("True", 0), ("'a'", 0), ("//\n1", 0),
            ("01", 1), ("-", 1), ("-x", 1), ("+1", 0), (".5", 0), ("1.", 2), ("1.e5", 2),
            ("1e", 2), ("1e+", 3), ("0x10", 1), ("NaN", 0), ("Infinity", 0), ("1e309", 5),
            ("\"", 1), ("\"a\nb\"", 2), ("\"\\x\"", 2), ("\"\\", 2), ("\"\\u12\"", 5),
            ("\"\\ud800\"", 7), ("\"\\ud800\\n\"", 8), ("\"\\ud800\\u0041\"", 12),
            ("\"\\udc00\"", 7), ("\u{c}1", 0), ("\u{a0}1", 0),
        ])
    func refused(text: String, offset: Int) {
        let mistake = #expect(throws: JSONMistake.self) { try JSONValue(parsing: text.utf8) }
        #expect(mistake?.offset == offset)
    }

    @Test(
        "Texts that are not UTF-8 are refused",
        arguments: [
            [0xff], [0xc0, 0x80], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80],
            [0x80],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        #expect(throws: JSONMistake.self) { try JSONValue(parsing: [quote] + bytes + [quote]) }
        let newline = Array("\\n".utf8)
        #expect(throws: JSONMistake.self) {
            try JSONValue(parsing: [quote] + newline + bytes + [quote])
        }
    }

    @Test("Escapes become what they stand for, two of them for a character beyond 16 bits")
    func escapes() throws {
        #expect(
            try parsed(#""\"\\\/\b\f\n\r\t\u0000\u00e9\u20AC\ud83d\ude00é😀""#)
                == .text("\"\\/\u{8}\u{c}\n\r\t\0é€😀é😀"))
    }

    @Test(
        "Whole numbers keep all their digits, however they are written",
        arguments: [
            ("0", .integer(0)), ("-1", .integer(-1)), ("1.0", .integer(1)), ("1e3", .integer(1000)),
            ("120E-1", .integer(12)), ("0.5e+1", .integer(5)), ("0e999999999999", .integer(0)),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9007199254740993.0", .integer(9_007_199_254_740_993)),
            ("9223372036854775808", .unsigned(1 << 63)),
            ("18446744073709551615", .unsigned(.max)),
        ] as [(String, JSONValue)])
    func whole(text: String, value: JSONValue) throws {
        #expect(try parsed(text) == value)
    }

    @Test(
        "Other numbers are the nearest double",
        arguments: [
            ("0.1", 0.1), ("-2.5e-3", -0.0025), ("18446744073709551616", 0x1p64),
            ("-9223372036854775809", -0x1p63), ("1e300", 1e300), ("5e-324", .leastNonzeroMagnitude),
            ("1e-99999999999999999999", 0), ("92233720368547758.7", 92_233_720_368_547_758.7),
        ])
    func real(text: String, value: Double) throws {
        #expect(try parsed(text) == .number(value))
    }

    @Test("Minus zero keeps its sign")
    func minusZero() throws {
        for text in ["-0", "-0.0", "-0e5"] {
            guard case .number(let number) = try parsed(text) else {
                Issue.record("\(text) is read as a whole number")
                continue
            }
            #expect(number.sign == .minus)
        }
    }

    @Test("Of members with one name the first counts")
    func repeatedNames() throws {
        #expect(
            try parsed("{\"a\":1,\"\\u0061\":2,\"b\":3}")
                == .object(["a": .integer(1), "b": .integer(3)]))
    }

    @Test("Values nest as deep as the limit, and no deeper")
    func depth() throws {
        func nested(_ count: Int) -> String {
            String(repeating: "[", count: count) + String(repeating: "]", count: count)
        }
        _ = try parsed(nested(JSONValue.depthLimit))
        #expect(throws: JSONMistake(offset: JSONValue.depthLimit)) {
            try parsed(nested(JSONValue.depthLimit + 1))
        }
        #expect(throws: JSONMistake.self) {
            try parsed(String(repeating: "{\"a\":", count: 1 << 20))
        }
        _ = try JSONValue(parsing: "[[1],[2],{}]".utf8, depthLimit: 2)
        #expect(throws: JSONMistake(offset: 2)) {
            try JSONValue(parsing: "[[[]]]".utf8, depthLimit: 2)
        }
    }

    @Test("Damaged texts are read or refused, and what was read can be written and read again")
    func damaged() throws {
        let text = Array(#"{"a":[1,-2.5e3,"é\u00e9\ud83d\ude00",null],"b":{"c":true}}"#.utf8)
        for place in text.indices {
            _ = try? JSONValue(parsing: text[..<place])
            for byte in UInt8.min ... .max {
                var damaged = text
                damaged[place] = byte
                guard let value = try? JSONValue(parsing: damaged) else { continue }
                #expect(try JSONValue(parsing: value.bytes()) == value)
            }
        }
    }
}
