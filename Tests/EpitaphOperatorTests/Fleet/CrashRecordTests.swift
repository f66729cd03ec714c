// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphFleet

@Suite("The record of a crash")
struct CrashRecordTests {
    static let id = Epitaph.ID("0F0E0D0C-0B0A-4908-8706-050403020100")!

    /// A null write in a program without symbols.
    static func snapshot() -> ProcessSnapshot {
        var snapshot = ProcessSnapshot(architecture: .x86_64)
        snapshot.process.id = 4711
        snapshot.process.snapshotTime = Timestamp(secondsSince1970: 1_787_368_447.250_001)
        var module = ModuleSnapshot(
            path: "/usr/bin/served (deleted)", addressRange: 0x40_0000..<0x40_8000,
            kind: .executable)
        module.buildID = [0x0a, 0xff, 0x10]
        snapshot.modules = [module]
        var thread = ThreadSnapshot(id: 4711, completeness: .complete)
        var registers = X86Registers()
        registers.rip = 0x40_1234
        thread.registers = .x86_64(registers)
        snapshot.threads = [thread]
        var exception = ExceptionSnapshot(signal: 11, code: 1, address: 0x10)
        exception.threadID = 4711
        exception.registers = .x86_64(registers)
        snapshot.exception = exception
        snapshot.annotations = [
            Annotation(name: "ver", value: "1.2.3"), Annotation(name: "hostname", value: "web-7"),
            Annotation(name: "quoted", value: "\"a\\b\"\n\u{1b}"),
        ]
        var launch = LaunchRecord()
        launch.uuid = id
        snapshot.launch = launch
        return snapshot
    }

    static func record(_ snapshot: ProcessSnapshot = snapshot()) -> CrashRecord {
        CrashRecord(
            CrashExplanation(snapshot, stacks: []), contents: ByteSlice([1, 2, 3]),
            arrived: Timestamp(secondsSince1970: 1_787_368_500))
    }

    @Test("It says what the report says")
    func explained() {
        let record = Self.record()
        #expect(record.id == Self.id)
        #expect(record.host == "web-7")
        #expect(record.program == "served")
        #expect(record.version == "1.2.3")
        #expect(record.buildID == "0aff10")
        #expect(record.kind == "crash")
        #expect(record.signal == "SIGSEGV")
        #expect(record.signature.hasPrefix("null-dereference "))
        #expect(record.signatureID.count == 16)
        // A program that is loaded where its file says has the file's addresses.
        #expect(record.frames == ["served+0x401234"])
        #expect(record.function == "served+0x401234")
    }

    @Test(
        "Host and version come from the most telling annotation that says something",
        arguments: [
            ([("hostname", "a"), ("server_name", "b")], "b", ""),
            ([("server_name", ""), ("hostname", "a")], "a", ""),
            ([("ver", "1"), ("Version", "2")], "", "2"),
            ([("release", "3"), ("Version", "2"), ("ver", "1")], "", "3"),
            ([("host", "a")], "", ""),
        ] as [([(String, String)], String, String)])
    func identity(annotations: [(String, String)], host: String, version: String) {
        var snapshot = Self.snapshot()
        snapshot.annotations = annotations.map { Annotation(name: $0.0, value: $0.1) }
        let record = Self.record(snapshot)
        #expect(record.host == host)
        #expect(record.version == version)
    }

    @Test("A report without an id has one that its bytes determine")
    func madeID() {
        var snapshot = Self.snapshot()
        snapshot.launch = nil
        let explanation = CrashExplanation(snapshot, stacks: [])
        let one = CrashRecord(explanation, contents: ByteSlice([1, 2, 3])).id
        #expect(one == CrashRecord(explanation, contents: ByteSlice([1, 2, 3])).id)
        #expect(one != CrashRecord(explanation, contents: ByteSlice([1, 2, 4])).id)
        #expect(Array(one.description.uppercased())[14] == "8")
        #expect("89AB".contains(Array(one.description.uppercased())[19]))
    }

    @Test("A row has the table's names, and is read back as it was")
    func row() throws {
        let record = Self.record()
        let text = record.json()
        let row = try #require(
            JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(Set(row.keys) == Set(CrashRecord.Column.allCases.map(\.rawValue)))
        #expect(row["id"] as? String == "0f0e0d0c-0b0a-4908-8706-050403020100")
        #expect(row["time"] as? String == "2026-08-22 03:14:07")
        #expect(row["microseconds"] as? Int == 250_001)
        #expect(row["arrived"] as? String == "2026-08-22 03:15:00")
        #expect(
            row["annotations"] as? [String: String]
                == ["ver": "1.2.3", "hostname": "web-7", "quoted": "\"a\\b\"\n\u{1b}"])
        #expect(!text.contains("\n"))
        let read = try #require(CrashRecord(json: Array(text.utf8)))
        #expect(read.json() == text)
        #expect(CrashRecord(json: Array("{}".utf8)) == nil)
        #expect(CrashRecord(json: []) == nil)
    }

    @Test("Where there is no map, annotations are two arrays in one order")
    func arrays() throws {
        let text = Self.record().json(.arrays, columns: [.id, .annotations])
        let row = try #require(
            JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(Set(row.keys) == ["id", "annotations.name", "annotations.value"])
        #expect(row["annotations.name"] as? [String] == ["hostname", "quoted", "ver"])
        #expect(row["annotations.value"] as? [String] == ["web-7", "\"a\\b\"\n\u{1b}", "1.2.3"])
    }

    @Test(
        "A time that the table cannot hold is the nearest that it can",
        arguments: [
            (-5, "1970-01-01 00:00:00"), (1e18, "2106-02-07 06:28:15"),
            (-.infinity, "1970-01-01 00:00:00"),
        ] as [(Double, String)])
    func times(seconds: Double, text: String) {
        let record = CrashRecord(id: Self.id, time: Timestamp(secondsSince1970: seconds))
        #expect(record.json().contains("\"time\":\"\(text)\""))
    }

    @Test("A recursion without end does not make an endless row")
    func limits() {
        let frames = (0..<1000).map { ReportFrame(index: $0, address: UInt64($0)) }
        let explanation = CrashExplanation(
            Self.snapshot(), stacks: [], crashStack: ReportStack(frames: frames))
        let record = CrashRecord(explanation, contents: .empty)
        #expect(record.frames.count == CrashRecord.frameLimit)
        #expect(record.frames[1] == "0x1")
    }
}
