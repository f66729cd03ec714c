// SPDX-License-Identifier: Apache-2.0

import Symbolication
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

    @Test("A name too long for a demangler stays as it is")
    func longName() {
        let name = "_Z" + String(repeating: "P", count: 100_000)
        #expect(Demangler.demangle(name) == name)
    }
}
