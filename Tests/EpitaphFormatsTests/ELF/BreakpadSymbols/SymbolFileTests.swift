// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@testable import EpitaphELF

/// As in google/breakpad, docs/symbol_files.md, with every kind of record.
private let sample = """
    MODULE Linux x86_64 6125DB825AA00A9BCF7C1A3303037EC50 crash
    INFO CODE_ID 82DB2561A05A9B0ACF7C1A3303037ECF562126DB
    FILE 0 /src/main.c
    FILE 3 /src/a b.h
    INLINE_ORIGIN 0 inner(int)
    INLINE_ORIGIN 7 middle(int)
    FUNC m 1000 40 0 work(int, char const*)
    INLINE 0 12 0 7 1010 8 1030 4
    INLINE 1 5 3 0 1012 4
    1000 10 10 0
    1010 2 20 3
    1012 4 21 3
    1016 2 22 3
    1018 28 13 0
    FUNC 1040 10 0 main
    PUBLIC f00 0 early
    PUBLIC 1060 0 late
    PUBLIC m 2000 8 _Z5otheri
    STACK CFI INIT 1000 40 .cfa: $rsp 8 + .ra: .cfa -8 + ^
    STACK CFI 1001 .cfa: $rsp 16 + $rbp: .cfa -16 + ^
    STACK CFI 1010 .cfa: $rbp 16 +
    STACK CFI INIT 1040 10 .cfa: $rsp 8 + .ra: .cfa 8 - ^ $rbx: $rax $rbp: .undef
    STACK WIN 4 1000 40 0 0 0 0 0 0 1 $eip

    """

@Suite("A Breakpad symbol file")
struct SymbolFileTests {
    let file: SymbolFile

    init() throws {
        file = try #require(SymbolFile(ByteSlice(Array(sample.utf8))))
    }

    @Test("says of which build it is")
    func identity() {
        let buildID: [UInt8] = [
            0x82, 0xdb, 0x25, 0x61, 0xa0, 0x5a, 0x9b, 0x0a, 0xcf, 0x7c, 0x1a, 0x33, 0x03, 0x03,
            0x7e, 0xcf, 0x56, 0x21, 0x26, 0xdb,
        ]
        #expect(
            BreakpadIdentity(buildID: buildID).debugID == "6125DB825AA00A9BCF7C1A3303037ECF0")
        #expect(file.header.name == "crash")
        #expect(file.header.architecture == "x86_64")
        #expect(file.machine == 62)
        #expect(file.header.buildID == buildID)
        // The identifier of the sample is not the one of its build id.
        #expect(!file.header.isOf(buildID: buildID, isCut: false))
    }

    @Test(
        "is of a module if all that both have of the build id is the same",
        arguments: [
            ("010203", [1, 2, 3] as [UInt8], false, true), ("010203", [1, 2, 4], false, false),
            ("0102", [1, 2, 3], false, false), ("010203", [1, 2, 3], true, true),
            ("", [1, 2, 3], false, true),
        ])
    func ofModule(code: String, buildID: [UInt8], isCut: Bool, isOf: Bool) throws {
        let identifier = BreakpadIdentity(buildID: [1, 2, 3]).debugID
        let info = code.isEmpty ? "" : "INFO CODE_ID \(code) x\n"
        let text = "MODULE Linux arm64 \(identifier.lowercased()) a program\r\n\(info)FILE 0 a.c\n"
        let header = try #require(SymbolFileHeader(ByteSlice(Array(text.utf8))))
        #expect(header.name == "a program")
        #expect(header.isOf(buildID: buildID, isCut: isCut) == isOf)
    }

    @Test("has functions, lines and inlined calls by address")
    func calls() {
        typealias Call = SymbolFile.Call
        func work(_ line: Int) -> Call {
            Call(
                function: "work(int, char const*)", file: "/src/main.c", line: line,
                isInlined: false, start: 0x1000, isPublic: false)
        }
        func inlined(_ name: String, _ line: Int) -> Call {
            Call(
                function: name, file: "/src/a b.h", line: line, isInlined: true, start: nil,
                isPublic: false)
        }
        #expect(file.calls(at: 0x1000) == [work(10)])
        #expect(file.calls(at: 0x1011) == [inlined("middle(int)", 20), work(12)])
        #expect(
            file.calls(at: 0x1013) == [
                inlined("inner(int)", 21), inlined("middle(int)", 5), work(12),
            ])
        #expect(file.calls(at: 0x1016) == [inlined("middle(int)", 22), work(12)])
        #expect(file.calls(at: 0x1020) == [work(13)])
        let main = file.calls(at: 0x104f)
        #expect(main.map(\.function) == ["main"])
        #expect(main.first?.line == nil)
        #expect(file.problem == nil)
    }

    @Test("has symbols where no function is, but not behind one that ended")
    func symbols() {
        #expect(file.calls(at: 0xeff) == [])
        #expect(file.calls(at: 0xfff).map(\.function) == ["early"])
        #expect(file.calls(at: 0x1055) == [])
        #expect(file.calls(at: 0x1060).first?.isPublic == true)
        #expect(file.calls(at: 0x2010).map(\.function) == ["_Z5otheri"])
        #expect(file.calls(at: 0x2010).map(\.start) == [0x2000])
    }

    @Test("has rules for the caller's registers")
    func rules() throws {
        let first = try #require(file.callFrameRules(at: 0x1000, shift: 0x40_0000))
        #expect(first.frameAddress == .register(7, offset: 8))
        #expect(first.rule(for: 16) == .offset(-8))
        #expect(first.rule(for: 6) == nil)
        #expect(first.addressRange == 0x40_1000..<0x40_1040)
        let pushed = try #require(file.callFrameRules(at: 0x1005, shift: 0))
        #expect(pushed.frameAddress == .register(7, offset: 16))
        #expect(pushed.rule(for: 6) == .offset(-16))
        let framed = try #require(file.callFrameRules(at: 0x103f, shift: 0))
        #expect(framed.frameAddress == .register(6, offset: 16))
        #expect(framed.rule(for: 16) == .offset(-8))
        let main = try #require(file.callFrameRules(at: 0x1040, shift: 0))
        #expect(main.rule(for: 16) == .offset(-8))
        #expect(main.rule(for: 3) == .register(0))
        #expect(main.rule(for: 6) == .undefined)
        #expect(file.callFrameRules(at: 0x1050, shift: 0) == nil)
    }

    @Test(
        "turns other rules into expressions, and refuses what it does not understand",
        arguments: [
            (".cfa: $rsp 8 + $rbx + 16 @ .ra: .cfa 8 - ^", true),
            (".cfa: $rsp 8 + .ra: .cfa .cfa ^ +", true), (".cfa: $rsp 8 + .ra: + ^", false),
            (".cfa: $nothing 8 + .ra: .cfa -8 + ^", false),
            (".cfa: .cfa 8 + .ra: .cfa -8 + ^", false),
            (".cfa: $rsp 8 +", false), (".ra: $rip", false), (".cfa: 1 2 .ra: $rip", false),
        ])
    func expressions(rules: String, isUsable: Bool) throws {
        let text = "MODULE Linux x86_64 0 a\nSTACK CFI INIT 10 10 \(rules)\n"
        let file = try #require(SymbolFile(ByteSlice(Array(text.utf8))))
        #expect((file.callFrameRules(at: 0x11, shift: 0) != nil) == isUsable)
    }

    @Test("has rules for aarch64, where the return address begins in a register")
    func arm() throws {
        let text = """
            MODULE Linux arm64 0 a
            STACK CFI INIT 10 40 .cfa: sp 0 + .ra: x30
            STACK CFI 14 .cfa: sp 32 + .ra: .cfa -24 + ^ x29: .cfa -32 + ^ x30: .cfa -24 + ^

            """
        let file = try #require(SymbolFile(ByteSlice(Array(text.utf8))))
        #expect(file.machine == 183)
        let first = try #require(file.callFrameRules(at: 0x10, shift: 0))
        #expect(first.frameAddress == .register(31, offset: 0))
        #expect(first.returnRegister == 32)
        #expect(first.rule(for: 32) == .register(30))
        let later = try #require(file.callFrameRules(at: 0x20, shift: 0))
        #expect(later.frameAddress == .register(31, offset: 32))
        #expect(later.rule(for: 32) == .offset(-24))
        #expect(later.rule(for: 29) == .offset(-32))
    }

    @Test("that is damaged or made to be slow gives no wrong answer and ends")
    func hostile() throws {
        let long = String(repeating: "x", count: 200_000)
        let lines = [
            "FUNC", "FUNC 1", "FUNC zz 10 0 a", "FUNC ffffffffffffffff ffffffffffffffff 0 end",
            "FUNC 10000000000000000 10 0 tooFar", "FUNC 10 0 0 empty", "FUNC 20 10 0 \(long)",
            "FUNC 100 1000 0 good", "INLINE 0 1 0 99 100 10", "INLINE 5 1 0 0 100 10",
            "INLINE 0", "100 10 99999999999999999999 0", "100 10 5 77", "STACK CFI INIT 100 1000",
            "STACK CFI", "FILE", "FILE x y", "INLINE_ORIGIN", "PUBLIC", "PUBLIC m", "MODULE", "",
        ]
        let text = "MODULE Linux x86_64 0 a\n" + lines.joined(separator: "\n")
        let file = try #require(SymbolFile(ByteSlice(Array(text.utf8))))
        #expect(file.calls(at: 0x25) == [])
        #expect(file.calls(at: 0x15) == [])
        let good = file.calls(at: 0x105)
        #expect(good.last?.function == "good")
        #expect(good.last?.file == nil)
        #expect(file.callFrameRules(at: 0x105, shift: 0) == nil)
        for end in stride(from: 0, to: sample.utf8.count, by: 7) {
            let cut = SymbolFile(ByteSlice(Array(sample.utf8.prefix(end))))
            for address in [0x1013, 0x1060, 0x2010] as [UInt64] {
                _ = cut?.calls(at: address)
                _ = cut?.callFrameRules(at: address, shift: 0)
            }
        }
        #expect(SymbolFile(ByteSlice([])) == nil)
        #expect(SymbolFile(ByteSlice(Array("MODULE Linux x86_64 0 a".utf8))) == nil)
    }

    @Test("whose functions have more lines than can be read says so")
    func endless() throws {
        var text = "MODULE Linux x86_64 0 a\nFUNC 10 1000000 0 f\n"
        text += String(repeating: "10 1 1 0\n", count: 600_000)
        text += "ffff 10 7 0\n"
        let file = try #require(SymbolFile(ByteSlice(Array(text.utf8))))
        #expect(file.calls(at: 0xffff).map(\.line) == [nil])
        #expect(file.problem != nil)
    }
}
