// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation
import Testing

@testable import EpitaphMinidump

/// The streams of Breakpad, Crashpad and Mozilla; see minidump_format.h and minidump_extensions.h.
@Suite("The bytes of a written minidump's extensions")
struct ExtensionStreamBytesTests {
    let raw = RawMinidump(bytes: minidump(of: Samples.x86_64))

    private func word(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
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
        // No module has anything to say, and on x86_64 there is no address mask.
        #expect(raw.stream(0x4350_0001).count == 52)
        #expect(raw.slice(info + 44, 8) == [UInt8](repeating: 0, count: 8))
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
