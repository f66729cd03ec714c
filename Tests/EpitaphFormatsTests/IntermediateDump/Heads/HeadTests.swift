// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphValues
import Testing

@Suite("Files with a head")
struct HeadTests {
    private func read(_ bytes: [UInt8]) throws -> IntermediateDump {
        try IntermediateDump(ByteSlice(bytes))
    }

    private func crash(_ bytes: [UInt8]) throws -> ProcessSnapshot {
        guard case .crash(let snapshot) = try read(bytes).contents else {
            Issue.record("not taken for a crash")
            return ProcessSnapshot(architecture: .x86_64)
        }
        return snapshot
    }

    private func isLaunchRecord(_ bytes: [UInt8]) throws -> Bool {
        if case .launchRecordOnly = try read(bytes).contents { true } else { false }
    }

    /// The launch record in a head of that size, followed by `stored` and zeros.
    private func head(_ headBytes: UInt32, size: Int, _ stored: [UInt8] = []) -> [UInt8] {
        let bytes = SampleDumps.launch(headBytes: headBytes).bytes + stored
        return bytes + [UInt8](repeating: 0, count: max(0, size - bytes.count))
    }

    @Test("Zeros behind the launch record are a launch record alone")
    func launchRecord() throws {
        #expect(try isLaunchRecord(head(4096, size: 4096)))
        let dump = try read(head(4096, size: 4096))
        #expect(dump.tree.headByteCount == 4096)
        #expect(!dump.isComplete)
    }

    @Test("A clean end with zeros behind it is complete, without damage")
    func cleanEnd() throws {
        var dump = SampleDumps.launch(headBytes: 4096)
        dump.add(.cleanExit, seconds: 1_763_703_600, microseconds: 0)
        let bytes = dump.finished + [UInt8](repeating: 0, count: 4096 - dump.finished.count)
        let ended = try read(bytes)
        #expect(ended.isComplete)
        #expect(ended.tree.damage.isEmpty)
        #expect(ended.snapshot.launch?.cleanExitTime?.secondsSince1970 == 1_763_703_600)
        #expect(ended.snapshot.launch?.displacedHandlers == [])
    }

    @Test("A clean end tells which handlers had been displaced, and is no crash")
    func displacedHandlers() throws {
        var dump = SampleDumps.launch(headBytes: 4096)
        dump.array(.displacedHandlers) {
            $0.map {
                $0.add(.displacedSignal, 11)
                $0.add(.displacingHandler, 0x40_1000)
            }
            $0.map { $0.add(.displacedSignal, 7) }
            $0.map { $0.add(.displacingHandler, 0x40_1000) }
        }
        let expected = [
            DisplacedHandler(signal: 11, address: 0x40_1000),
            DisplacedHandler(signal: 7, address: nil),
        ]
        #expect(try isLaunchRecord(dump.bytes))
        #expect(try read(dump.bytes).snapshot.launch?.displacedHandlers == expected)
        dump.add(.cleanExit, seconds: 1_763_703_600, microseconds: 0)
        #expect(try isLaunchRecord(dump.finished))
        #expect(try read(dump.finished).snapshot.launch?.displacedHandlers == expected)
    }

    @Test("The sections behind the head are read as if it were not there")
    func sections() throws {
        let plain = try crash(SampleDumps.x86_64)
        let dump = try read(SampleDumps.head)
        #expect(dump.isComplete)
        #expect(dump.tree.damage.isEmpty)
        let snapshot = dump.snapshot
        #expect(snapshot.threads.map(\.id) == plain.threads.map(\.id))
        #expect(snapshot.crashingThread?.completeness == .complete)
        #expect(snapshot.crashingThread?.stack == plain.crashingThread?.stack)
        #expect(snapshot.messages == plain.messages)
        #expect(snapshot.process == plain.process)
        #expect(snapshot.damage == plain.damage)
    }

    @Test("Without a first record the sections behind the head are the crash")
    func sectionsAlone() throws {
        var dump = SampleDumps.launch(headBytes: 4096)
        dump.fill(to: 4096)
        dump.map(.signalException) { $0.add(.signalNumber, 6) }
        #expect(try crash(dump.finished).exception?.signal == 6)
        #expect(try read(dump.finished).isComplete)
    }

    @Test("Sections stored in the head itself end where the zeros begin")
    func sectionsInHead() throws {
        var dump = SampleDumps.headOfCrash()
        dump.map(.processInfo) { $0.add(.pid, 4711) }
        let cut = dump.bytes + [UInt8](repeating: 0, count: 300)
        #expect(try crash(cut).process.id == 4711)
        #expect(try !read(cut).isComplete)
        let whole = dump.finished + [UInt8](repeating: 0, count: 300)
        #expect(try read(whole).isComplete)
        #expect(try read(whole).tree.damage.isEmpty)
    }

    @Test("A section that was being stored when the process died ends with the head")
    func cutInHead() throws {
        var dump = SampleDumps.headOfCrash()
        // A map's start, and zeros where its end would be.
        let stored = dump.bytes + [0x01, 0xa0, 0x0f]
        let bytes = stored + [UInt8](repeating: 0, count: 4096 - stored.count)
        let offset = String(stored.count, radix: 16)
        #expect(
            try read(bytes).tree.damage.map(\.sentence) == [
                "offset 0x\(offset): the dump ends here, before its end mark"
            ])
        dump = DumpBuilder()
        dump.map(.processInfo) { $0.add(.pid, 5) }
        let behind = try read(bytes + dump.bytes.dropFirst())
        #expect(behind.snapshot.process.id == 5)
        #expect(
            behind.tree.damage.first?.sentence
                == "offset 0x\(offset): what was stored here is cut; reading goes on at 0x1000")
    }

    @Test(
        "A head of impossible size is none",
        arguments: [0, 1, 17, 200, 5000, 4096, UInt32.max] as [UInt32])
    func impossible(headBytes: UInt32) throws {
        var dump = SampleDumps.launch(headBytes: headBytes)
        let recordEnd = dump.bytes.count
        #expect(recordEnd > 200)
        dump.fill(to: 4096)
        let bytes = dump.bytes
        #expect(try isLaunchRecord(bytes))
        let tree = try read(bytes).tree
        #expect(
            tree.damage.map(\.sentence) == [
                "offset 0x\(String(recordEnd, radix: 16)): the dump ends here, before its end mark"
            ])
    }

    @Test("A head of the wrong type or in another map is none")
    func elsewhere() throws {
        for stored in ["root", "size", "other"] {
            var dump = SampleDumps.launch()
            switch stored {
            case "root": dump.add(.headBytes, 4096)
            case "size": dump.map(.launchRecord) { $0.add(.headBytes, bytes: [0, 16]) }
            default: dump.map(.processInfo) { $0.add(.headBytes, 4096) }
            }
            #expect(DumpTree(reading: ByteSlice(dump.bytes)).headByteCount == nil)
        }
    }

    @Test("Zeros and then something else, without a head, are bytes that make no sense")
    func garbage() throws {
        let bytes = head(0, size: 1000) + [0x05, 0x06, 0x07]
        #expect(try isLaunchRecord(bytes))
        #expect(
            try read(bytes).tree.damage.first?.sentence.hasSuffix(
                "byte 0x0 is no command; nothing after this place was read") == true)
    }

    @Test("Half a first record, whose first byte is not there yet, is a launch record alone")
    func halfStored() throws {
        var stored = SampleDumps.headOfCrash().bytes
        let start = SampleDumps.launch(headBytes: 4096).bytes.count
        stored[start] = 0
        let bytes = stored + [UInt8](repeating: 0, count: 4096 - stored.count)
        #expect(try isLaunchRecord(bytes))
    }

    @Test("Whatever stands in the head and behind it, nothing traps")
    func noise() {
        var random = SplitMix64(state: 9)
        for size in [0, 300, 1000, 4096, 5000] {
            for _ in 0..<200 {
                let noise = (0..<600).map { _ in UInt8.random(in: 0...7, using: &random) }
                let bytes = SampleDumps.launch(headBytes: UInt32(size)).bytes + noise
                let dump = try? IntermediateDump(ByteSlice(bytes))
                #expect(dump?.isComplete == true || dump?.tree.damage.isEmpty == false)
            }
        }
    }
}
