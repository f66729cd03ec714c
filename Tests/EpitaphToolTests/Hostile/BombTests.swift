// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("dump-convert show of little that stands for much", .serialized)
struct BombTests {
    private let directory: TemporaryDirectory
    /// docs/limits.md
    private static let mostMebibytes = 512

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func checkShow(_ file: HostileFile, says words: String?) throws {
        let (text, peak) = try HostileFile.showing([try file.minidump()])
        #expect(text.contains("outer"))
        if let words { #expect(text.contains(words), "\(text)") }
        #expect(peak < Self.mostMebibytes, "\(peak) MiB")
    }

    private func run(_ script: String, _ arguments: String...) throws {
        try runTool(["sh", "-c", script] + ["sh"] + arguments)
    }

    @Test("xz that stands for 700 MiB of symbols is inflated up to 48")
    func miniDebugInformation() throws {
        let file = try HostileFile(in: directory, [])
        try run(
            "head -c 700M /dev/zero | xz -0 > \"$1\" && objcopy --add-section .gnu_debugdata=\"$1\" \"$2\""
                + " && objcopy --strip-unneeded -K outer \"$2\"",
            directory.path("xz"), file.path)
        try checkShow(file, says: nil)
    }

    @Test(
        "A debug section that would be 800 MiB inflated is left compressed, and the report says so")
    func compressedSection() throws {
        let file = try HostileFile(in: directory)
        try run(
            "python3 -c 'import sys,zlib; sys.stdout.buffer.write(zlib.compress(bytes(800 << 20)))' > \"$1\"",
            directory.path("zlib"))
        var section = ByteBuilder()
        section.append(UInt32(1))
        section.append(UInt32(0))
        section.append(UInt64(800 << 20))
        section.append(UInt64(1))
        section.append(Array(try Data(contentsOf: URL(fileURLWithPath: directory.path("zlib")))))
        try file.replace(".debug_str_offsets", with: section.bytes, isCompressed: true)
        try checkShow(file, says: "MiB of files are held in memory at a time")
    }

    @Test("Units that share a table of abbreviations are counted before libdw copies it for each")
    func abbreviations() throws {
        let file = try HostileFile(in: directory)
        var table = ByteBuilder()
        for code in 1..<100_000 as Range<UInt32> {
            // A code of three bytes, DW_TAG_compile_unit, no children, no attributes.
            table.append([UInt8(code & 127) | 128, UInt8(code >> 7 & 127) | 128, UInt8(code >> 14)])
            table.append([0x11, 0, 0, 0])
        }
        table.append(UInt8(0))
        var units = ByteBuilder()
        for _ in 0..<20_000 {
            // Length, version 5, DW_UT_compile, 8 bytes of address, table, entry with the last code.
            units.append(UInt32(11))
            units.append(UInt16(5))
            units.append([1, 8])
            units.append(UInt32(0))
            units.append([0x9f | 0x80, 0x8d, 6])
        }
        try file.replace(".debug_abbrev", with: table.bytes)
        try file.replace(".debug_info", with: units.bytes)
        try checkShow(file, says: "too many units or abbreviations")
    }

    @Test("A line table of a row for each byte is counted before libdw makes it")
    func lines() throws {
        let file = try HostileFile(in: directory)
        var table = try file.section(".debug_line")
        // Special opcodes in the place of the program's end; DW_LNE_end_sequence is 0, 1, 1.
        try #require(table.suffix(3) == [0, 1, 1])
        table.removeLast(3)
        table += [UInt8](repeating: 0x20, count: 24 << 20) + [0, 1, 1]
        let length = UInt32(table.count - 4)
        for index in 0..<4 {
            table[index] = UInt8(truncatingIfNeeded: length >> (8 * UInt32(index)))
        }
        try file.replace(".debug_line", with: table)
        try checkShow(file, says: "MiB of files are held in memory at a time")
    }

    @Test("65,000 sections with one long name are read in little memory")
    func sectionNames() throws {
        let file = try HostileFile(in: directory)
        var name = [UInt8](repeating: 0x61, count: 65_000)
        name.append(0)
        // Section 0 keeps its place; all others share the name.
        var headers = [UInt8](repeating: 0, count: 64)
        let whole = try Data(contentsOf: URL(fileURLWithPath: file.path))
        let namesOffset = UInt64(whole.count)
        for _ in 1..<65_000 {
            var header = ByteBuilder()
            header.append(UInt32(0))
            header.append(UInt32(3))
            for word in [0, 0, namesOffset, UInt64(name.count)] as [UInt64] { header.append(word) }
            header.appendZeros(24)
            headers += header.bytes
        }
        var bytes = Array(whole) + name
        let place = UInt64(bytes.count)
        bytes += headers
        // e_shoff, e_shnum, e_shstrndx
        for index in 0..<8 {
            bytes[40 + index] = UInt8(truncatingIfNeeded: place >> (8 * UInt64(index)))
        }
        (bytes[60], bytes[61], bytes[62], bytes[63]) = (0xe8, 0xfd, 1, 0)
        try directory.write(bytes, to: "program")
        let (_, peak) = try HostileFile.showing([try file.minidump()])
        #expect(peak < Self.mostMebibytes / 2, "\(peak) MiB")
    }
}
