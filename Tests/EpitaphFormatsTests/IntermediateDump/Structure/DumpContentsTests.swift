// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphValues
import Testing

@Suite("What a file turns out to be")
struct DumpContentsTests {
    private func failure(_ bytes: [UInt8]) -> IntermediateDumpError? {
        do throws(IntermediateDumpError) {
            _ = try IntermediateDump(ByteSlice(bytes))
            return nil
        } catch {
            return error
        }
    }

    @Test("A process that never crashed leaves its launch record, whole or cut")
    func launchRecordOnly() throws {
        let bytes = SampleDumps.launch().bytes
        let dump = try IntermediateDump(ByteSlice(bytes))
        guard case .launchRecordOnly(let record) = dump.contents else {
            Issue.record("taken for a crash")
            return
        }
        #expect(!dump.isComplete)
        #expect(record.processID == 4711)
        #expect(record.executablePath == "/usr/bin/orderd")
        #expect(dump.snapshot.launch == record)
        #expect(dump.snapshot.exception == nil)

        let cut = try IntermediateDump(ByteSlice(Array(bytes[..<40])))
        guard case .launchRecordOnly = cut.contents else {
            Issue.record("taken for a crash")
            return
        }
    }

    @Test("Zeros that a file system left behind the launch record are no crash")
    func zerosAfterLaunchRecord() throws {
        let zeros = [UInt8](repeating: 0, count: 4096)
        let dump = try IntermediateDump(ByteSlice(SampleDumps.launch().bytes + zeros))
        guard case .launchRecordOnly(let record) = dump.contents else {
            Issue.record("taken for a crash")
            return
        }
        #expect(record.processID == 4711)
    }

    @Test("A file that ends at the first byte of a section is a crash")
    func crashBegins() throws {
        let bytes = SampleDumps.launch().bytes + [0x01, 0xd0, 0x07]
        let dump = try IntermediateDump(ByteSlice(bytes))
        guard case .crash(let snapshot) = dump.contents else {
            Issue.record("not taken for a crash")
            return
        }
        #expect(snapshot.launch?.processID == 4711)
        #expect(snapshot.exception == nil)
        #expect(
            snapshot.damage.map(\.sentence) == [
                "offset 0xde: the dump ends here, before its end mark",
                "offset 0xdb: the signal's number is missing",
            ])
    }

    @Test("A live dump is complete and has no exception")
    func liveDump() throws {
        var dump = SampleDumps.launch()
        dump.array(.threads) { $0.map { $0.add(.threadID, 5) } }
        let read = try IntermediateDump(ByteSlice(dump.finished))
        #expect(read.isComplete)
        #expect(read.snapshot.exception == nil)
        #expect(read.snapshot.threads.map(\.id) == [5])
        #expect(read.snapshot.damage.isEmpty)
    }

    @Test("Unknown keys of a later version change nothing")
    func unknownKeys() throws {
        var dump = SampleDumps.launch()
        dump.add(DumpKey(rawValue: 60_000), "?")
        dump.map(DumpKey(rawValue: 60_001)) { $0.array(DumpKey(rawValue: 60_002)) { _ in } }
        let read = try IntermediateDump(ByteSlice(dump.bytes))
        guard case .launchRecordOnly = read.contents else {
            Issue.record("taken for a crash")
            return
        }
        #expect(read.tree.root.property(DumpKey(rawValue: 60_000))?.payload.text == "?")
        #expect(read.tree.root.map(DumpKey(rawValue: 60_001)) != nil)
    }

    @Test("A file of which nothing can be made says so in a sentence that says what to do")
    func unusable() {
        #expect(failure([]) == .empty)
        #expect(failure(Array("MDMP".utf8)) == .notADump(firstByte: 0x4d))
        #expect(failure([0x06]) == .nothingRecorded(byteCount: 1))
        #expect(failure([0x06, 0x07]) == .nothingRecorded(byteCount: 2))

        var wrongVersion = DumpBuilder()
        wrongVersion.add(.version, 2)
        #expect(failure(wrongVersion.bytes) == .unsupportedVersion(2))

        var noArchitecture = DumpBuilder()
        noArchitecture.add(.version, 1)
        #expect(failure(noArchitecture.bytes) == .nothingRecorded(byteCount: 13))
        noArchitecture.add(.architecture, 0)
        #expect(failure(noArchitecture.bytes) == .unsupportedArchitecture(0))

        let header = Array(SampleDumps.x86_64[..<26])
        #expect(failure(header) == .nothingRecorded(byteCount: 26))
        #expect(failure(SampleDumps.launch(machine: 40).finished) == .unsupportedArchitecture(40))

        for error in [
            .empty, .notADump(firstByte: 1), .nothingRecorded(byteCount: 2),
            .unsupportedVersion(2), .unsupportedArchitecture(40),
        ] as [IntermediateDumpError] {
            #expect(error.description.hasPrefix("The "))
            #expect(error.description.hasSuffix("."))
        }
        #expect(
            IntermediateDumpError.notADump(firstByte: 0x4d).description
                == "The file is not an intermediate dump: its first byte, at offset 0x0, is 0x4d "
                + "instead of 0x06. Check that it is the right file.")
    }
}
