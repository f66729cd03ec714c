// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbols
import EpitaphTestSupport
import Foundation
import Testing

struct RustNameTests {
    @Test("Names that rustc wrote are those of rustfilt, in both of its manglings")
    func namesOfCompiler() throws {
        let table = try String(
            contentsOf: URL(fileURLWithPath: Products.fixture("rust-names.txt")), encoding: .utf8)
        let rows = table.split(separator: "\n")
        #expect(rows.count > 100)
        for row in rows {
            let columns = row.split(separator: "\t", maxSplits: 1)
            #expect(Demangler.demangle(String(columns[0])) == String(columns[1]))
        }
    }

    @Test(
        "Each rule of the grammar is followed",
        arguments: [
            ("_RNvC7mycrate3foo", "mycrate::foo"),
            ("_RNvCs1234_7mycrate3foo", "mycrate::foo"),
            ("_RNCNvC7mycrate3foo0", "mycrate::foo::{closure#0}"),
            ("_RNCNvC7mycrate3foos_0", "mycrate::foo::{closure#1}"),
            ("_RNSNvC7mycrate3foo6vtable", "mycrate::foo::{shim:vtable#0}"),
            ("_RNvMC7mycrateNtB2_3Foo3bar", "<mycrate::Foo>::bar"),
            ("_RNvXC7mycrateNtB2_3FooNtB2_3Bar3baz", "<mycrate::Foo as mycrate::Bar>::baz"),
            ("_RNvYNtC7mycrate3FooNtB4_3Bar3baz", "<mycrate::Foo as mycrate::Bar>::baz"),
            ("_RINvC7mycrate3foolRbE", "mycrate::foo::<i32, &bool>"),
            ("_RINvC7mycrate3fooAhj4_E", "mycrate::foo::<[u8; 4]>"),
            ("_RINvC7mycrate3fooKj1f_Kan7b_Kb1_Kc76_E", "mycrate::foo::<31, -123, true, 'v'>"),
            ("_RINvC7mycrate3fooTEThEE", "mycrate::foo::<(), (u8,)>"),
            ("_RINvC7mycrate3fooFUKCOtEuE", "mycrate::foo::<unsafe extern \"C\" fn(*mut u16)>"),
            (
                "_RINvC7mycrate3fooDNtB2_3Barp4ItemmEL_E",
                "mycrate::foo::<dyn mycrate::Bar<Item = u32>>"
            ),
            ("_RINvC7mycrate3fooFG_RL0_hEBf_E", "_RINvC7mycrate3fooFG_RL0_hEBf_E"),
            ("_RNvNtC7mycrateu10mnchen_3ya3foo", "mycrate::münchen::foo"),
            ("_RNvC7mycrate3foo.llvm.1234", "mycrate::foo"),
            ("_RNvC7mycrate3fooC5other", "mycrate::foo"),
            ("_ZN7mycrate3foo17h0123456789abcdefE", "mycrate::foo"),
            ("_ZN7mycrate3foo17h0123456789abcdefE.llvm.99", "mycrate::foo"),
            (
                "_ZN39_$LT$a..B$u20$as$u20$c..D$LT$u8$GT$$GT$1e17h0123456789abcdefE",
                "<a::B as c::D<u8>>::e"
            ),
            ("_ZN28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", "{{closure}}"),
        ])
    func grammar(raw: String, expected: String) {
        #expect(Demangler.demangle(raw) == expected)
    }

    @Test(
        "What only looks like Rust's stays as it is, or is C++",
        arguments: [
            ("_R", "_R"), ("_R9", "_R9"), ("_RNvC7mycrate", "_RNvC7mycrate"),
            ("_RNvC7mycrate9foo", "_RNvC7mycrate9foo"), ("_RB_", "_RB_"),
            ("_RIC1aB_E", "_RIC1aB_E"),
            ("_RNvC1a18446744073709551616b", "_RNvC1a18446744073709551616b"),
            ("_RNvC1a1bBzzzzzzzzzzzzzzz_", "_RNvC1a1bBzzzzzzzzzzzzzzz_"),
            ("_ZN7mycrate3foo17hE", "_ZN7mycrate3foo17hE"), ("_ZN3foo3barE", "foo::bar"),
        ])
    func malformed(raw: String, expected: String) {
        #expect(Demangler.demangle(raw) == expected)
    }

    @Test("Names that nest without end, or refer back to double themselves, stay as they are")
    func bombs() {
        let nested = "_RNvMC1a" + String(repeating: "R", count: 4_000) + "u1b"
        #expect(Demangler.demangle(nested) == nested)
        // Each pair holds the one before it twice.
        var doubling = "_RINvC1a1bThhE"
        var start = 8
        for _ in 0..<60 {
            let length = doubling.utf8.count - 2
            let reference = "B" + base62(start)
            doubling += "T\(reference)\(reference)E"
            start = length
        }
        doubling += "E"
        #expect(Demangler.demangle(doubling) == doubling)
    }

    @Test("A name cut or changed anywhere is decoded or kept, never a trap")
    func damaged() throws {
        let table = try String(
            contentsOf: URL(fileURLWithPath: Products.fixture("rust-names.txt")), encoding: .utf8)
        var generator = SplitMix(state: 2_603)
        for row in table.split(separator: "\n") {
            let name = Array(row.prefix { $0 != "\t" }.utf8)
            for length in 0..<name.count {
                _ = Demangler.demangle(String(decoding: name[..<length], as: UTF8.self))
            }
            for _ in 0..<50 {
                var changed = name
                let position = Int(generator.next() % UInt64(name.count))
                changed[position] = UInt8(32 + generator.next() % 95)
                let text = String(decoding: changed, as: UTF8.self)
                #expect(Demangler.demangle(text).utf8.count <= 20_000)
            }
        }
    }

    /// `_` is 0, `0_` is 1.
    private func base62(_ number: Int) -> String {
        guard number > 0 else { return "_" }
        let digits = Array("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
        var rest = number - 1
        var text = ""
        repeat {
            text = String(digits[rest % 62]) + text
            rest /= 62
        } while rest > 0
        return text + "_"
    }
}
