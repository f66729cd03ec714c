// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Testing

@testable import EpitaphMinidump

@Suite("Names of annotations that are Epitaph's own")
struct OwnNamesTests {
    /// Every name that a minidump of ours can have, and what looks like the program's prefix.
    static let names = [
        "message", "message_source", "message_2", "message_2_source", "message_77",
        "crashpad_uptime_ns", "crashpad_intermediate_dump_incomplete", "epitaph_bundle_id",
        "epitaph_executable", "epitaph_start_time_us", "epitaph_snapshot_time_us",
        "epitaph_report_kind", "epitaph_report_subject", "epitaph_module_path", "epitaph_of_later",
        "program_message", "program_program_epitaph_bundle_id",
    ]

    private func crash(_ annotations: [Annotation]) -> ProcessSnapshot {
        var snapshot = Samples.x86_64
        snapshot.annotations = annotations
        snapshot.launch = LaunchRecord()
        snapshot.launch?.bundleID = "org.example.greeter"
        return snapshot
    }

    private func names(in bytes: [UInt8]) -> [String] {
        let raw = RawMinidump(bytes: bytes)
        let dictionary = raw.u32(raw.offset(0x4350_0001) + 40)
        return (0..<raw.u32(dictionary)).map { raw.utf8(raw.u32(dictionary + 4 + 8 * $0)) }
    }

    private func read(_ bytes: [UInt8]) throws -> ProcessSnapshot {
        try MinidumpReader.read(ByteSlice(bytes)).snapshot
    }

    @Test("A program's annotation of such a name survives, and takes the place of nothing")
    func reserved() throws {
        var typed = Annotation(name: "message_2", value: "12", type: .integer)
        typed.isCut = true
        let long = Annotation(
            name: "epitaph_start_time_us", value: String(repeating: "x", count: 3_000))
        let own =
            Self.names.filter { ![typed.name, long.name].contains($0) }
            .map { Annotation(name: $0, value: "99") } + [typed, long]
        let plain = try read(minidump(of: crash([])))
        let both = try read(minidump(of: crash(own)))
        #expect(both.annotations == own)
        #expect(both.messages == plain.messages)
        #expect(both.messages.count == 2)
        #expect(both.process == plain.process)
        #expect(both.launch?.bundleID == "org.example.greeter")
        #expect(both.damage == plain.damage)
        #expect(try read(minidump(of: both)).annotations == own)
    }

    @Test("No name is twice in the list, which Crashpad's reader would refuse as a whole")
    func unique() throws {
        let own = Self.names.map { Annotation(name: $0, value: "mine") }
        let twice =
            own + own + [
                Annotation(name: "prod", value: "a"), Annotation(name: "prod", value: "b"),
            ]
        let bytes = minidump(of: crash(twice))
        let written = names(in: bytes)
        #expect(Set(written).count == written.count)
        #expect(written.filter { $0 == "message" || $0 == "crashpad_uptime_ns" }.count == 2)
        let read = try read(bytes).annotations
        let sorted = { (list: [Annotation]) in list.map { $0.name + $0.value }.sorted() }
        #expect(sorted(read) == sorted(twice))
    }

    @Test("In reports of earlier versions the last of equal names is ours")
    func earlier() throws {
        var bytes = minidump(
            of: crash([
                Annotation(name: "messagf", value: "request 17 done"),
                Annotation(name: "crashpad_uptime_nt", value: "no number"),
            ]))
        for (name, other) in [
            ("messagf", "message"), ("crashpad_uptime_nt", "crashpad_uptime_ns"),
        ] {
            let place = try #require(bytes.firstRange(of: Array(name.utf8)))
            bytes.replaceSubrange(place, with: Array(other.utf8))
        }
        let snapshot = try read(bytes)
        #expect(
            snapshot.annotations == [
                Annotation(name: "message", value: "request 17 done"),
                Annotation(name: "crashpad_uptime_ns", value: "no number"),
            ])
        #expect(snapshot.messages == Samples.x86_64.messages)
        #expect(snapshot.process.uptimeNanoseconds == Samples.x86_64.process.uptimeNanoseconds)
    }
}
