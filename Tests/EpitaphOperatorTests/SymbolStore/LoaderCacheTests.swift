// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphSymbolStore

@Suite("ld.so.cache")
struct LoaderCacheTests {
    private func list(_ entries: [(String, String)], count: UInt32? = nil) -> ByteBuilder {
        var texts = ByteBuilder()
        let start = UInt32(48 + entries.count * 24)
        var rows = ByteBuilder()
        for (name, path) in entries {
            rows.append(UInt32(0x303))
            rows.append(start + UInt32(texts.count))
            texts.append(name + "\0")
            rows.append(start + UInt32(texts.count))
            texts.append(path + "\0")
            rows.append(UInt32(0))
            rows.append(UInt64(0))
        }
        var file = ByteBuilder()
        file.append("glibc-ld.so.cache1.1")
        file.append(count ?? UInt32(entries.count))
        file.append(UInt32(texts.count))
        file.appendZeros(20)
        file.append(rows.bytes)
        file.append(texts.bytes)
        return file
    }

    @Test("All paths of a name are given, in order, also behind the list of older versions")
    func names() throws {
        let new = list([("libb.so", "/usr/lib/v3/libb.so"), ("libb.so", "/usr/lib/libb.so")])
        let cache = LoaderCache(ByteSlice(new.bytes))
        #expect(cache.paths(of: "libb.so") == ["/usr/lib/v3/libb.so", "/usr/lib/libb.so"])
        #expect(cache.paths(of: "liba.so") == [])

        var old = ByteBuilder()
        old.append("ld.so-1.7.0\0")
        old.append(UInt32(1))
        old.appendZeros(12 + 4)
        old.append(new.bytes)
        #expect(LoaderCache(ByteSlice(old.bytes)).paths(of: "libb.so").count == 2)
    }

    @Test("A cut or lying list gives what it holds")
    func damaged() {
        let whole = list([("liba.so", "/a"), ("libb.so", "/b")], count: .max).bytes
        #expect(LoaderCache(ByteSlice(whole)).paths(of: "libb.so") == ["/b"])
        for length in 0..<whole.count {
            let cut = LoaderCache(ByteSlice(Array(whole.prefix(length))))
            #expect(cut.paths(of: "libb.so").count <= 1)
        }
        #expect(LoaderCache(ByteSlice(Array("no such list".utf8))).paths(of: "") == [])
    }

    @Test("This machine's own has the C library")
    func real() throws {
        let bytes = try FileBytes.contents(of: "/etc/ld.so.cache")
        #expect(!LoaderCache(bytes).paths(of: "libc.so.6").isEmpty)
    }
}
