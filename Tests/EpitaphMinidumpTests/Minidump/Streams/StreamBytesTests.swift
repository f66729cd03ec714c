// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation
import Testing

@testable import EpitaphMinidump

/// The expected bytes are written by hand from minidumpapiset.h, minidump_format.h and
/// minidump_extensions.h. All integers are little-endian.
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
}
