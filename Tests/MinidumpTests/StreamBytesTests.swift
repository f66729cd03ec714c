// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import Snapshot
import Testing

@testable import Minidump

/// The expected bytes are written by hand from minidumpapiset.h, minidump_format.h and minidump_extensions.h. All integers are little-endian.
@Suite("The bytes of a written minidump")
struct StreamBytesTests {
    let raw = RawMinidump(bytes: minidump(of: Samples.x86_64))

    private func word(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    @Test("begin with MDMP, version, 17 streams, the directory at 32 and the time")
    func header() {
        #expect(
            raw.slice(0, 32)
                == hex("4d444d50 93a70000 11000000 20000000 00000000 64f15365 0000000000000000"))
        #expect(
            raw.directory.map(\.type) == [
                7, 15, 3, 24, 6, 4, 0x4350_0001, 16, 0x4767_0003, 0x4767_0004, 0x4767_0005,
                0x4767_0008, 0x4767_0009, 0x4d7a_0003, 0x4767_000a, 0x4d7a_0004, 5,
            ])
    }

    @Test("lie without overlaps and end with the memory contents")
    func layout() {
        var ranges = raw.directory.map { $0.offset..<$0.offset + $0.size }
        ranges += raw.memory.map { $0.offset..<$0.offset + $0.size }
        ranges.sort { $0.lowerBound < $1.lowerBound }
        for (left, right) in zip(ranges, ranges.dropFirst()) {
            #expect(left.upperBound <= right.lowerBound)
        }
        #expect(ranges.last?.upperBound == raw.bytes.count)
        #expect(raw.memory.allSatisfy { $0.offset % 16 == 0 })
    }

    @Test("SystemInfo: AMD64, family 6, model 170 stepping 4, 4 processors, Linux 6.1.0")
    func systemInfo() {
        let name = raw.u32(raw.offset(7) + 24)
        let expected =
            hex("0900 0600 04aa 04 00 06000000 01000000 00000000 01820000") + word(name)
            + hex("0000 0000") + Array("GenuineIntel".utf8)
            + hex("a4060a00 fffbebbf 00000000")
        #expect(raw.stream(7) == expected)
        #expect(raw.utf16(name) == "Linux 6.1.0-18-amd64 #1 SMP Debian 6.1.76-1 x86_64")
    }

    @Test("SystemInfo of aarch64: architecture 12 and the hardware capabilities")
    func systemInfoARM() {
        let raw = RawMinidump(bytes: minidump(of: Samples.aarch64))
        let stream = raw.stream(7)
        #expect(Array(stream[..<8]) == hex("0c00 0000 0000 04 00"))
        #expect(Array(stream[32...]) == hex("00000000 fb000000") + [UInt8](repeating: 0, count: 16))
    }

    @Test("MiscInfo: 24 bytes, id and times")
    func miscInfo() {
        #expect(
            raw.stream(15) == hex("18000000 03000000 67120000 00f15365 07000000 03000000"))
    }

    @Test("ThreadList: the crashing thread first, its stack and registers found")
    func threadList() {
        let list = raw.offset(3)
        #expect(raw.directory.first { $0.type == 3 }?.size == 4 + 4 * 48)
        #expect(raw.u32(list) == 4)
        let crashing = raw.slice(list + 4, 48)
        let stack = raw.memory.first { $0.address == Samples.stackBase }
        let context = raw.u32(list + 4 + 44)
        #expect(
            crashing == word(4711) + hex("00000000 00000000 ffffffff 0000000000000000")
                + hex("00000010fc7f0000") + word(400) + word(stack?.offset ?? 0) + word(1232)
                + word(context))
        // Thread 4712: nice -5 is 25, SCHED_OTHER 3, static priority 0.
        #expect(raw.u32(list + 4 + 48 + 12) == 0x0000_0319)
        // Thread 4714 has neither stack nor registers.
        #expect(raw.slice(list + 4 + 3 * 48 + 24, 24) == [UInt8](repeating: 0, count: 24))
    }

    @Test("ThreadNames: packed entries of 12 bytes")
    func threadNames() {
        let list = raw.offset(24)
        #expect(raw.u32(list) == 3)
        #expect(raw.stream(24).count == 4 + 3 * 12)
        #expect((0..<3).map { raw.u32(list + 4 + 12 * $0) } == [4711, 4712, 4713])
        #expect(
            (0..<3).map { raw.utf16(Int(raw.u64(list + 8 + 12 * $0))) }
                == ["greeter", "worker", "busy"])
    }

    @Test("Exception: signal, code and address; registers shared with the crashing thread")
    func exception() {
        let context = raw.u32(raw.offset(3) + 4 + 44)
        #expect(
            raw.stream(6) == word(4711) + word(0) + hex("0b000000 01000000 0000000000000000")
                + hex("efbeadde00000000") + [UInt8](repeating: 0, count: 8 + 15 * 8)
                + word(1232) + word(context))
    }

    @Test("ModuleList: 108 bytes each, BpEL and the build id")
    func moduleList() {
        let first = raw.offset(4) + 4
        #expect(raw.u32(raw.offset(4)) == 3)
        let name = raw.u32(first + 20)
        let codeView = raw.u32(first + 80)
        #expect(
            raw.slice(first, 108)
                == hex("0040555555550000 00300000 00000000 00000000") + word(name)
                + hex("bd04effe 00000100") + [UInt8](repeating: 0, count: 28)
                + word(1) + [UInt8](repeating: 0, count: 12) + word(24) + word(codeView)
                + [UInt8](repeating: 0, count: 24))
        #expect(raw.utf16(name) == "/srv/none/greeter")
        #expect(raw.slice(codeView, 24) == hex("4c457042") + (1...20).map { UInt8($0) })
        #expect(raw.utf16(raw.u32(first + 216 + 20)) == "linux-vdso.so.1")
    }

    @Test("The context of x86_64 has every register at its offset")
    func contextX86() {
        let context = raw.u32(raw.offset(6) + 164)
        #expect(raw.u32(context + 48) == 0x10000f)
        #expect(raw.u32(context + 52) == raw.u32(context + 256 + 24))
        #expect(
            raw.slice(context + 56, 16) == hex("3300 0000 0000 1000 1100 2b00 46020100"))
        let integers = (0..<17).map { raw.u64(context + 120 + 8 * $0) }
        let stack = Samples.stackBase
        #expect(
            integers == [
                1, 3, 4, 2, stack + 0x80, stack + 0x100, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
                0x5555_5555_4123,
            ])
        #expect(raw.slice(context + 256, 512) == Samples.bytes(512, seed: 3).array)
        #expect(raw.slice(context + 768, 464) == [UInt8](repeating: 0, count: 464))
    }

    @Test("The context of aarch64 has every register at its offset")
    func contextARM() {
        let raw = RawMinidump(bytes: minidump(of: Samples.aarch64))
        #expect(raw.u32(raw.offset(6) + 160) == 912)
        let context = raw.u32(raw.offset(6) + 164)
        #expect(raw.slice(context, 8) == hex("07004000 00000060"))
        #expect((0..<31).map { raw.u64(context + 8 + 8 * $0) } == (0..<31).map { 0x1000 + $0 })
        #expect(raw.u64(context + 256) == Samples.stackBase + 0x80)
        #expect(raw.u64(context + 264) == 0x5555_5555_4123)
        #expect(raw.slice(context + 272, 512) == Samples.bytes(512, seed: 9).array)
        #expect(raw.slice(context + 784, 8) == hex("00000003 10000000"))
    }

    @Test("A thread of which two registers are known says so")
    func partialContext() {
        let context = raw.u32(raw.offset(3) + 4 + 2 * 48 + 44)
        #expect(raw.u32(context + 48) == 0x100001)
        #expect(raw.u64(context + 152) == 0x7f10_2000_0800)
        #expect(raw.u64(context + 248) == 0x7f10_1000_0777)
        #expect(raw.u64(context + 120) == 0)
    }

    @Test("MemoryList: the crash's stack, the bytes around the crash, other stacks, the rest")
    func memoryList() {
        #expect(
            raw.memory.map(\.address) == [
                Samples.stackBase, 0x5555_5555_4100, Samples.workerStackBase, Samples.vdsoBase,
            ])
        #expect(raw.memory.map(\.size) == [400, 64, 160, 4096])
        #expect(
            raw.slice(raw.memory[1].offset, 64) == Samples.bytes(64, seed: 1).array)
    }

    @Test("MemoryInfoList: 48 bytes for each line of the maps file")
    func memoryInfoList() {
        let stream = raw.stream(16)
        #expect(Array(stream[..<16]) == hex("10000000 30000000 0700000000000000"))
        #expect(
            Array(stream[16..<64])
                == hex("0040555555550000 0040555555550000 20000000 00000000 0020000000000000")
                + hex("00100000 20000000 00000200 00000000"))
        // /dev/shm/queue is shared and rw.
        #expect(
            Array(stream[(16 + 4 * 48 + 32)..<(16 + 5 * 48)])
                == hex("00100000 04000000 00000400 00000000"))
    }

    @Test("Linux files are in their streams byte for byte")
    func files() {
        let files = Samples.x86_64.files
        #expect(raw.stream(0x4767_0003) == files.cpuinfo?.array)
        #expect(raw.stream(0x4767_0004) == files.status?.array)
        #expect(raw.stream(0x4767_0005) == files.osRelease?.array)
        #expect(raw.stream(0x4767_0008) == files.auxv?.array)
        #expect(raw.stream(0x4767_0009) == files.maps?.array)
        #expect(raw.stream(0x4d7a_0003) == files.limits?.array)
        #expect(raw.stream(0x4767_0006).isEmpty)
        #expect(raw.stream(0x4767_0007).isEmpty)
    }

    @Test("DsoDebug: 40 bytes and the dynamic section; links of 24 bytes")
    func dynamicLinker() {
        let stream = raw.stream(0x4767_000a)
        let links = raw.u32(raw.offset(0x4767_000a) + 4)
        #expect(
            stream == hex("01000000") + word(links) + hex("02000000 00000000")
                + hex("10000011107f0000 00000011107f0000 1060555555550000")
                + Samples.bytes(48, seed: 2).array)
        #expect(raw.u64(links) == 0x5555_5555_4000)
        #expect(raw.utf16(raw.u32(links + 8)) == "/srv/none/greeter")
        #expect(raw.u32(links + 12) == 0)
        #expect(raw.u64(links + 16) == 0x5555_5555_6010)
        #expect(raw.u64(links + 24) == 0x7f10_1000_0000)
    }

    @Test("CrashpadInfo: both ids as GUIDs, and the annotations with message and uptime")
    func crashpadInfo() {
        let info = raw.offset(0x4350_0001)
        #expect(
            raw.slice(info, 36)
                == hex("01000000 33221100 5544 7766 8899aabbccddeeff")
                + hex("04030201 0605 0807 090a0b0c0d0e0f10"))
        #expect(raw.slice(info + 44, 20) == [UInt8](repeating: 0, count: 20))
        let dictionary = raw.u32(info + 40)
        let count = raw.u32(dictionary)
        #expect(raw.u32(info + 36) == 4 + 8 * count)
        let pairs = (0..<count).map { index in
            raw.utf8(raw.u32(dictionary + 4 + 8 * index)) + "="
                + raw.utf8(raw.u32(dictionary + 8 + 8 * index))
        }
        #expect(
            pairs == [
                "prod=greeter", "größe=12 µm", "message=Fatal error: Index out of range",
                "message_source=swift", "message_2=malloc(): corrupted top size",
                "message_2_source=glibc", "crashpad_uptime_ns=99000000001",
            ])
    }

    @Test("An incomplete intermediate dump is called so, as Crashpad does")
    func incomplete() throws {
        var snapshot = Samples.x86_64
        snapshot.damage = [Damage(stage: .reading, subject: "offset 0x1f3", reason: "it is cut")]
        let raw = RawMinidump(bytes: minidump(of: snapshot))
        let dictionary = raw.u32(raw.offset(0x4350_0001) + 40)
        let last = dictionary + 4 + 8 * (raw.u32(dictionary) - 1)
        #expect(raw.utf8(raw.u32(last)) == "crashpad_intermediate_dump_incomplete")
        #expect(raw.utf8(raw.u32(last + 4)) == "yes")
    }

    @Test("MozSoftErrors: the damage as JSON, an empty array when there is none")
    func softErrors() {
        #expect(
            String(decoding: raw.stream(0x4d7a_0004), as: UTF8.self)
                == #"[{"errno":14,"reason":"the memory could not be read","stage":"capture","#
                + #""subject":"memory at 0x10"},{"reason":"the thread blocks the signal that stops "#
                + #"threads","stage":"capture","subject":"thread 4713"}]"#)
        let none = RawMinidump(bytes: minidump(of: ProcessSnapshot(architecture: .x86_64)))
        #expect(none.stream(0x4d7a_0004) == Array("[]".utf8))
    }
}
