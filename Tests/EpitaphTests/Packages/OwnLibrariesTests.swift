// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Programs that use a library which Epitaph opens too: Swift sees the headers of both.
@Suite struct OwnLibrariesTests {
    /// What a program says of a library, each with something of it that Epitaph does not declare.
    private static let uses = [
        (header: "sqlite3.h", call: "sqlite3_open_v2(nil, nil, SQLITE_OPEN_MEMORY, nil)"),
        (header: "lzma.h", call: "lzma_code(nil, LZMA_SYNC_FLUSH) == LZMA_BUF_ERROR"),
        (
            header: "libdeflate.h",
            call: "libdeflate_zlib_decompress(nil, nil, 0, nil, 0, nil) == LIBDEFLATE_BAD_DATA"
        ),
        (header: "capstone/capstone.h", call: "cs_open(CS_ARCH_MIPS, CS_MODE_THUMB, nil)"),
        (header: "elfutils/libdw.h", call: "dwarf_begin_elf(nil, DWARF_C_RDWR, nil)"),
        (header: "elfutils/debuginfod.h", call: "debuginfod_begin()"),
    ]

    @Test("A program that imports Epitaph calls its own copy of a library and not ours")
    func calls() throws {
        let directory = try TemporaryDirectory()
        var map = ""
        var program = "import Epitaph\n"
        for (index, use) in Self.uses.enumerated() {
            map += "module Library\(index) { header \"/usr/include/\(use.header)\" export * }\n"
            program += "import Library\(index)\n"
        }
        for (index, use) in Self.uses.enumerated() {
            program += "public func use\(index)() { _ = \(use.call) }\n"
        }
        try directory.write(Array(map.utf8), to: "module.modulemap")
        let result = try Subprocess.run(
            ["swiftc", "-emit-ir", "-module-name", "Host", "-parse-as-library"]
                + ["-I", directory.path] + PageCompiler.moduleOptions()
                + [directory.write(Array(program.utf8), to: "host.swift")], deadlineSeconds: 300)
        try #require(result.ending == .exited(0), "\(result.standardError)")
        let declared = result.standardOutput.split(separator: "\n")
            .filter { $0.hasPrefix("declare ") }
        for use in Self.uses {
            let name = use.call.prefix { $0 != "(" }
            #expect(declared.contains { $0.contains("@\(name)(") }, "\(name)")
        }
        #expect(!declared.contains { $0.contains("@epitaph_") })
    }
}
