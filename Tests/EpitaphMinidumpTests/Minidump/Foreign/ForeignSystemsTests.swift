// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@testable import EpitaphMinidump

@Suite("Minidumps of other processors and systems")
struct ForeignSystemsTests {
    private static let windows: UInt32 = 2
    private static let macOS: UInt32 = 0x8101
    private static let android: UInt32 = 0x8203

    @Test("Registers of 32-bit x86 are found by their places in CONTEXT")
    func x86() throws {
        // winnt.h: edi is at 156, ebp at 180, eip at 184, eflags at 192, esp at 196.
        var context = [UInt8](repeating: 0, count: 716)
        for (offset, value) in [(156, 1), (176, 2), (180, 3), (184, 4), (192, 5), (196, 6)] {
            context[offset] = UInt8(value)
            context[offset + 3] = 0x80
        }
        var file = HandMadeMinidump(processor: 0, platform: Self.windows)
        file.addThread(context: context)
        let snapshot = try MinidumpReader.read(file.bytes).snapshot
        let registers = try #require(snapshot.threads.first?.registers)
        #expect(snapshot.architecture == .x86)
        #expect(snapshot.threads.first?.completeness == .complete)
        #expect(registers.instructionPointer == 0x8000_0004)
        #expect(registers.stackPointer == 0x8000_0006)
        #expect(registers.framePointer == 0x8000_0003)
        let named = Dictionary(uniqueKeysWithValues: registers.named.map { ($0.name, $0.value) })
        #expect(named["edi"] == 0x8000_0001)
        #expect(named["eax"] == 0x8000_0002)
        #expect(named["eflags"] == 0x8000_0005)
        #expect(named["ecx"] == 0)
    }

    @Test("Breakpad's dumps of 32-bit ARM give registers, page size and modules' biases")
    func arm() throws {
        var file = HandMadeMinidump(processor: 5, platform: Self.android)
        file.addThread(context: words((0..<92).map { UInt32($0 * 3) }))
        file.addModule("/system/lib/libc.so", at: 0x5000)
        // AT_PAGESZ, AT_NULL in words of 32 bits.
        file.add(0x4767_0008, words([6, 4096, 0, 0] as [UInt32]))
        file.streams.append(
            (
                0x4767_000a,
                { offset in
                    let name = offset + 24 + 12
                    let header = words([1, UInt32(offset + 24), 1, 0x10, 0x20, 0x30] as [UInt32])
                    let text = Array("/system/lib/libc.so".utf16)
                    return header + words([0x5000, UInt32(name), 0x44] as [UInt32])
                        + words([UInt32(2 * text.count)]) + words(text)
                }
            ))
        let contents = try MinidumpReader.read(file.bytes)
        let snapshot = contents.snapshot
        #expect(snapshot.architecture == .arm)
        #expect(snapshot.system.operatingSystem == .android)
        let registers = try #require(snapshot.threads.first?.registers)
        // Flags, then r0 to r15: the word with number n + 1.
        #expect(registers.stackPointer == 14 * 3)
        #expect(registers.instructionPointer == 16 * 3)
        let last = try #require(registers.named.last)
        #expect(last.value == 17 * 3)
        #expect(snapshot.system.pageSize == 4096)
        #expect(snapshot.dynamicLinker?.breakpointAddress == 0x10)
        #expect(snapshot.dynamicLinker?.dynamicSectionAddress == 0x30)
        #expect(snapshot.modules.first?.loadBias == 0x5000)
        #expect(snapshot.modules.first?.dynamicSectionAddress == 0x44)
        #expect(contents.readingDamage.isEmpty)
    }

    @Test(
        "A low place of a 32-bit program, or of another system's, does not say what it was linked for"
    )
    func lowPlaces() throws {
        for (processor, platform) in [(5, 0x8201), (0, 0x8201), (9, Self.windows)] {
            var file = HandMadeMinidump(processor: UInt16(processor), platform: platform)
            file.addModule("/srv/served", at: 0x5655_5000)
            let snapshot = try MinidumpReader.read(file.bytes).snapshot
            let module = try #require(snapshot.modules.first)
            #expect(module.assumedLoadBias == 0x5655_5000)
        }
        var wide = HandMadeMinidump(processor: 9, platform: 0x8201)
        wide.addModule("/srv/served", at: 0x40_0000)
        let snapshot = try MinidumpReader.read(wide.bytes).snapshot
        let module = try #require(snapshot.modules.first)
        #expect(module.assumedLoadBias == 0)
    }

    @Test("Breakpad's older CONTEXT of aarch64 and Microsoft's give the same registers")
    func oldARM64() throws {
        let integers = words((0..<33).map { UInt64($0) + 0x100 })
        let old =
            words([UInt64(0x8000_0006)]) + integers + words([0x6000_0000, 7, 8] as [UInt32])
            + [UInt8](repeating: 9, count: 512)
        let new =
            words([0x40_0007, 0x6000_0000] as [UInt32]) + integers
            + [UInt8](repeating: 9, count: 512)
            + words([8, 7] as [UInt32]) + [UInt8](repeating: 0, count: 120)
        #expect(old.count == 796 && new.count == 912)
        let read = try [old, new].map { context in
            var file = HandMadeMinidump(processor: context.count == 796 ? 0x8003 : 12)
            file.addThread(context: context)
            return try #require(
                try MinidumpReader.read(file.bytes).snapshot.threads.first?.registers)
        }
        #expect(read[0] == read[1])
        #expect(read[0].instructionPointer == 0x120)
        #expect(read[0].stackPointer == 0x11f)
    }

    @Test(
        "A processor without known registers is named, and the rest shown",
        arguments: [
            (1, .mips), (0x8004, .mips), (3, .powerPC), (0x8002, .powerPC64), (6, .itanium),
            (0x8001, .sparc), (0x8006, .riscv), (0x7777, .unknown),
        ] as [(UInt16, Architecture)])
    func others(number: UInt16, expected: Architecture) throws {
        var file = HandMadeMinidump(processor: number)
        file.addThread(context: [UInt8](repeating: 1, count: 600))
        file.addModule("/bin/x")
        let contents = try MinidumpReader.read(file.bytes)
        #expect(contents.snapshot.architecture == expected)
        #expect(contents.snapshot.threads.first?.registers == nil)
        #expect(contents.snapshot.modules.first?.path == "/bin/x")
        #expect(contents.readingDamage.contains { $0.reason.contains("processor \(number)") })
    }

    @Test("An exception of macOS or Windows is kept as it is, and is no signal")
    func exceptions() throws {
        for (platform, system) in [(Self.windows, OperatingSystem.windows), (Self.macOS, .macOS)] {
            var file = HandMadeMinidump(platform: platform)
            file.addException(0xc000_0005, flags: 1, address: 0x1234, parameters: [1, 0xf00])
            let snapshot = try MinidumpReader.read(file.bytes).snapshot
            let exception = try #require(snapshot.exception)
            #expect(exception.signal == 0 && exception.code == 0 && exception.address == 0)
            #expect(exception.senderProcessID == nil)
            #expect(
                exception.foreign
                    == ForeignException(
                        system: system, code: 0xc000_0005, flags: 1, address: 0x1234,
                        parameters: [1, 0xf00]))
        }
    }

    @Test("The GUID of macOS is a UUID; of Linux it is the beginning of the build id")
    func programDatabase() throws {
        let record =
            hex("52534453 04030201 0605 0807 090a0b0c0d0e0f10 00000000") + Array("a.out\0".utf8)
        var file = HandMadeMinidump(platform: Self.macOS)
        file.addModule("/a.out", record: record)
        let swapped = try #require(try MinidumpReader.read(file.bytes).snapshot.modules.first)
        #expect(swapped.buildID == (1...16).map { UInt8($0) })
        #expect(!swapped.isBuildIDCut)

        file.platform = 0x8201
        let cut = try #require(try MinidumpReader.read(file.bytes).snapshot.modules.first)
        #expect(cut.buildID == hex("04030201 0605 0807 090a0b0c0d0e0f10"))
        #expect(cut.isBuild(cut.buildID + [0xaa, 0xbb, 0xcc, 0xdd]))
        #expect(!cut.isBuild([UInt8](repeating: 4, count: 20)))
        #expect(!cut.isBuild([]))
        #expect(!swapped.isBuild(swapped.buildID + [0xaa]))
    }

    @Test("A path of Windows ends behind the last backslash")
    func names() {
        #expect(ModuleSnapshot.fileName(of: "C:\\Windows\\ntdll.dll") == "ntdll.dll")
        #expect(ModuleSnapshot.fileName(of: "/opt/a\\b") == "a\\b")
    }

    @Test("MemoryInfoList stands in for the maps file where that is missing")
    func memoryInformation() throws {
        func record(_ address: UInt64, _ state: UInt32, _ protection: UInt32) -> [UInt8] {
            words([address, address]) + words([protection, 0] as [UInt32])
                + words([UInt64(0x1000)]) + words([state, protection, 0x2_0000, 0] as [UInt32])
        }
        let list =
            words([16, 48] as [UInt32]) + words([UInt64(4)]) + record(0x1000, 0x1000, 0x20)
            + record(0x2000, 0x1_0000, 0x01) + record(0x3000, 0x1000, 0x104)
        var file = HandMadeMinidump(platform: Self.windows)
        file.add(16, list)
        file.addThread()
        let contents = try MinidumpReader.read(file.bytes)
        let mappings = contents.snapshot.mappings
        #expect(mappings.map(\.addressRange) == [0x1000..<0x2000, 0x3000..<0x4000])
        #expect(mappings.map(\.isExecutable) == [true, false])
        #expect(mappings.map(\.isWritable) == [false, true])
        #expect(
            contents.readingDamage.contains {
                $0.sentence == "memory map: 4 entries announced, 3 are there"
            })
    }
}
