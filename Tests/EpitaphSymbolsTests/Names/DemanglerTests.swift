// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbols
import Testing

struct DemanglerTests {
    @Test(
        "Names of Swift and C++ are demangled, all others stay as they are",
        arguments: [
            ("$s4main3fooyyF", "main.foo() -> ()"),
            ("_ZN3foo3barEi", "foo::bar(int)"),
            ("main", "main"), ("", ""), ("_Z", "_Z"), ("$s", "$s"), ("_ZN3fo", "_ZN3fo"),
        ])
    func demangling(raw: String, expected: String) {
        #expect(Demangler.demangle(raw) == expected)
    }

    @Test(
        "What the Swift compiler made of a function still reads as that function",
        arguments: [
            (
                "$s1t1SV1hySixFySWXEfU_TA",
                "partial apply forwarder for closure #1 (Swift.UnsafeRawBufferPointer) -> () "
                    + "in t.S.h(A) -> Swift.Int"
            ),
            (
                "$sSayxSicigSi_Tg5",
                "generic specialization <Swift.Int> of "
                    + "Swift.Array.subscript.getter : (Swift.Int) -> A"
            ),
            (
                "$s3sw47LibraryC3addySiAA4BookVYaFTY0_",
                "(1) suspend resume partial function for "
                    + "sw4.Library.add(sw4.Book) async -> Swift.Int"
            ),
        ])
    func derivedSwiftFunctions(raw: String, expected: String) {
        #expect(Demangler.demangle(raw) == expected)
    }

    @Test("A name too long for a demangler stays as it is")
    func longName() {
        let name = "_Z" + String(repeating: "P", count: 100_000)
        #expect(Demangler.demangle(name) == name)
    }
}
