// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@Suite("FNV-1a with 64 bits")
struct FNV1aTests {
    @Test("The test vectors of draft-eastlake-fnv come out")
    func vectors() {
        #expect(FNV1a([]).value == 0xcbf2_9ce4_8422_2325)
        #expect(FNV1a("foobar".utf8).value == 0x8594_4171_f739_67e8)
        #expect(FNV1a("foobar".utf8).hexDigits == "85944171f73967e8")
    }

    @Test("Bytes may come one at a time")
    func pieces() {
        var hash = FNV1a("foo".utf8)
        hash.combine(UInt8(ascii: "b"))
        hash.combine("ar".utf8)
        #expect(hash.value == FNV1a("foobar".utf8).value)
    }
}
