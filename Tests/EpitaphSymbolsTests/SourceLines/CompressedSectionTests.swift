// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSymbols
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Testing

/// objcopy(1) compresses the debug sections; what is read must not change by it.
struct CompressedSectionTests {
    private let directory: TemporaryDirectory
    private let program: String

    init() throws {
        directory = try TemporaryDirectory()
        program = try ProgramFile.compile(
            ProgramFile.inliningSource, as: "main.c", ["-O2", "-gdwarf-5"], in: directory)
    }

    private func compressed(_ way: String) throws -> String {
        let path = directory.path("compressed-\(way)")
        try ProgramFile.run(["objcopy", "--compress-debug-sections=\(way)", program, path])
        return path
    }

    @Test(
        "Compressed debug sections tell what plain ones tell",
        arguments: ["zlib", "zlib-gnu", "zstd"])
    func sameAnswers(way: String) throws {
        let plain = try ProgramFile(program)
        let other = try ProgramFile(try compressed(way))
        for offset: UInt64 in 0..<64 {
            let expected = try plain.calls(in: "outer", plus: offset)
            #expect(try other.calls(in: "outer", plus: offset) == expected)
        }
        #expect(try (0..<64).contains { try plain.calls(in: "outer", plus: $0).count > 1 })
    }

    @Test("A wrong inflated size costs the debug information, not the function's name")
    func wrongSize() throws {
        let path = try compressed("zlib")
        let bytes = try FileBytes.contents(of: path).array
        let section = try #require(try ELFImage(ByteSlice(bytes)).section(named: ".debug_info"))
        try #require(section.isCompressed)
        let size = Int(section.fileOffset) + 8  // ch_size of Elf64_Chdr
        let addresses = try ProgramFile.addresses(in: path)
        for claim: UInt64 in [0, 1, 1 << 20, 1 << 31, 1 << 40, .max] {
            var damaged = bytes
            for index in 0..<8 {
                damaged[size + index] = UInt8(truncatingIfNeeded: claim >> (UInt64(index) * 8))
            }
            let images = try OneImage(ByteSlice(damaged), path: path)
            let file = try ProgramFile(path, images: images, addresses: addresses)
            let calls = try file.calls(in: "outer", plus: 4)
            #expect(calls.map(\.function) == ["outer"])
        }
    }
}
