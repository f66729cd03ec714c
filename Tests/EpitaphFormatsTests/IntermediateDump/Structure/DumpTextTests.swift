// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import EpitaphIntermediateDump
import EpitaphValues
import Testing

@Suite("A tree as text")
struct DumpTextTests {
    private func lines(_ fill: (inout DumpBuilder) -> Void) -> [String] {
        var dump = DumpBuilder()
        fill(&dump)
        return DumpTree(reading: ByteSlice(dump.finished)).text
            .split(separator: "\n").dropFirst(2).map { String($0.dropFirst(12)) }
    }

    @Test("Every line has offset, name, number, type and value, indented by depth")
    func layout() {
        var dump = DumpBuilder()
        dump.add(.version, 1)
        dump.array(.threads) { $0.map { $0.add(.threadNice, -5) } }
        dump.add(DumpKey(rawValue: 60_000), bytes: [1, 0xff])
        #expect(
            DumpTree(reading: ByteSlice(dump.finished)).text == """
                intermediate dump, 48 bytes, complete
                00000000  root map
                00000001    VERSION (1) u8 1
                0000000d    THREADS (6000) array
                00000010      map
                00000011        THREAD_NICE (10504) i32 -5
                00000022    ? (60000) bytes 01 ff (2 bytes)

                """)
    }

    @Test("What could steer a terminal is escaped")
    func escapes() {
        let text = lines { $0.add(.threadName, "a\u{1b}[31m\"\\\n\u{202e}ü") }
        #expect(text == ["THREAD_NAME (6014) string \"a\\u{1b}[31m\\\"\\\\\\n\\u{202e}ü\""])
    }

    @Test("Long text and long bytes are shortened")
    func shortened() {
        let text = lines {
            $0.add(.threadName, String(repeating: "x", count: 201))
            $0.add(.stackRegionData, bytes: Array(repeating: 0xab, count: 17))
            $0.add(.stackRegionData, bytes: [])
        }
        #expect(
            text == [
                "THREAD_NAME (6014) string \"\(String(repeating: "x", count: 200))\" … (201 bytes)",
                "STACK_REGION_DATA (6006) bytes "
                    + String(repeating: "ab ", count: 16) + "… (17 bytes)",
                "STACK_REGION_DATA (6006) bytes (0 bytes)",
            ])
    }

    @Test("A payload that is not what its key says is shown as bytes")
    func wrongSizes() {
        let text = lines {
            $0.add(.pid, bytes: [1, 2, 3])
            $0.add(.launchUUID, bytes: [1])
            $0.add(.startTime, bytes: [2])
            $0.add(.threadState, bytes: [3])
        }
        #expect(
            text == [
                "PID (4002) i32 01 02 03 (3 bytes)", "LAUNCH_UUID (10107) uuid 01 (1 bytes)",
                "START_TIME (4003) timeval 02 (1 bytes)",
                "THREAD_STATE (6003) registers 03 (1 bytes)",
            ])
    }

    @Test("A cut property is marked, and the damage is at the end")
    func cut() {
        var dump = DumpBuilder()
        dump.start(.threadName, payloadCount: 5)
        #expect(
            DumpTree(reading: ByteSlice(dump.bytes + Array("wor".utf8))).text == """
                intermediate dump, 15 bytes, incomplete
                00000000  root map
                00000001    THREAD_NAME (6014) string "wor" (cut)
                damage: offset 0x1: THREAD_NAME is cut after 3 of its 5 bytes

                """)
    }

    @Test("Every key of the table has a name and a type in the text")
    func allKeys() {
        var index: UInt32 = 0
        while let name = epitaph_dump_key_row_at(index).name {
            let row = epitaph_dump_key_row_at(index)
            let key = DumpKey(rawValue: row.number)
            #expect(key.name == String(cString: name))
            #expect(key.typeName == String(cString: row.type_name).lowercased())
            index += 1
        }
        #expect(index > 0)
        #expect(DumpKey(rawValue: 60_000).name == nil)
    }
}
