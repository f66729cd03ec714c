// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Testing

/// Call frame information of real files; readelf knows what it says.
struct CallFrameTableTests {
    private static let noUnwindTables = [
        "-O2", "-g", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables",
    ]

    /// Compares every `stride`-th row of readelf's; returns how many.
    private func compareRows(of path: String, debug: String? = nil, stride: Int) throws -> Int {
        let image = try ELFImage(try ForeignFile.contents(of: path))
        let debugImage = try debug.map { try ELFImage(try ForeignFile.contents(of: $0)) }
        let table = CallFrameTable(image, debug: debugImage)
        let rows = try FrameInterpretation(of: debug ?? path, machine: image.machine).rows
        var count = 0
        for (index, row) in rows.enumerated() where index % stride == 0 {
            let rules = try #require(table.rules(at: row.address))
            #expect(row.disagreement(with: rules) == nil)
            count += 1
        }
        return count
    }

    @Test(
        "The rules for C and C++ libraries are readelf's rows",
        arguments: [
            (Machine.own.libc, 23), (Machine.own.loader, 3), (Machine.other.libc, 23),
        ])
    func libraries(path: String, stride: Int) throws {
        #expect(try compareRows(of: path, stride: stride) > 500)
    }

    @Test("A program whose functions are in .debug_frame has their rules, stripped or not")
    func debugFrame() throws {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(Self.noUnwindTables, in: directory)
        #expect(try compareRows(of: program, stride: 1) > 30)

        let debug = directory.path("crash.debug")
        _ = try Subprocess.run(["objcopy", "--only-keep-debug", program, debug])
        _ = try Subprocess.run(["strip", program])
        #expect(try compareRows(of: program, debug: debug, stride: 1) > 10)
    }

    @Test("Without a search table, or with one that leads nowhere, the section itself is searched")
    func noSearchTable() throws {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(
            ["-O2", "-Wl,--no-eh-frame-hdr"], in: directory)
        #expect(try ELFImage(try FileBytes.contents(of: program)).unwindTable == nil)
        #expect(try compareRows(of: program, stride: 1) > 30)

        let whole = try CrashingProgram.compile(["-O2"], in: directory)
        var bytes = try FileBytes.contents(of: whole).array
        let section = try #require(
            try ELFImage(ByteSlice(bytes)).section(named: ".eh_frame_hdr"))
        let start = Int(section.fileOffset) + 12
        for offset in start..<Int(section.fileOffset + section.size) where offset % 8 > 3 {
            bytes[offset] ^= 0x11
        }
        let broken = try directory.write(bytes, to: "broken")
        #expect(try compareRows(of: broken, stride: 1) > 30)
    }

    @Test("An address no function has, and an image without any, have no rules")
    func nothing() throws {
        let libc = try ELFImage(try ForeignFile.contents(of: Machine.own.loader))
        #expect(CallFrameTable(libc).rules(at: 8) == nil)
        #expect(CallFrameTable(libc).rules(at: .max) == nil)
        #expect(
            CallFrameTable(try ELFImage(ByteSlice(HandBuiltELF.bytes))).rules(at: 0x1100) == nil)
    }
}
