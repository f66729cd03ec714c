// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphValues
import Testing

@Suite("The first record of a crash")
struct FirstRecordTests {
    private func snapshot(_ bytes: [UInt8]) throws -> ProcessSnapshot {
        try IntermediateDump.snapshot(from: ByteSlice(bytes))
    }

    @Test("Alone it is a crash with signal, process, thread and last words, and is not complete")
    func alone() throws {
        let dump = try IntermediateDump(ByteSlice(SampleDumps.firstRecord))
        guard case .crash(let snapshot) = dump.contents else {
            Issue.record("not taken for a crash")
            return
        }
        #expect(!dump.isComplete)
        #expect(snapshot.exception?.signal == 11)
        #expect(snapshot.exception?.address == 0xdead)
        #expect(snapshot.exception?.threadID == 4712)
        #expect(snapshot.exception?.registers?.instructionPointer == 0x1010)
        #expect(snapshot.process.id == 4711)
        #expect(snapshot.process.snapshotTime?.secondsSince1970 == 1_763_703_600)
        #expect(snapshot.messages.map(\.text) == ["stored first"])
        let thread = try #require(snapshot.crashingThread)
        #expect(thread.completeness == .partial)
        #expect(thread.stack?.bytes.array == SampleDumps.firstStack)
        #expect(thread.whyIncomplete?.hasPrefix("the capture ended early") == true)
        #expect(snapshot.damage.map(\.subject).first == "thread 4712")
        #expect(snapshot.damage.last?.reason == "the dump ends here, before its end mark")
    }

    @Test("What is not known is not made up")
    func unknown() throws {
        var dump = SampleDumps.launch(headBytes: 4096)
        SampleDumps.addFirstRecord(to: &dump, threadID: 0, pid: 0, seconds: 0)
        let snapshot = try snapshot(dump.bytes)
        #expect(snapshot.exception?.threadID == nil)
        #expect(snapshot.process.snapshotTime == nil)
        // Whose file it is the launch record says.
        #expect(snapshot.process.id == 4711)
        #expect(snapshot.crashingThread?.id == 0)
        #expect(snapshot.crashingThread?.registers != nil)
        #expect(snapshot.damage.map(\.subject).first == "thread of unknown id")
    }

    @Test("At every cut the signal and the thread are those of the whole dump")
    func cuts() throws {
        let whole = SampleDumps.head
        let complete = try snapshot(whole)
        let first = SampleDumps.headOfCrash().bytes.count
        for length in [first, first + 1] + (SampleDumps.headBytes - 1..<whole.count) {
            let cut = try snapshot(Array(whole[..<length]))
            let thread = cut.crashingThread
            guard cut.exception?.signal == 11, cut.exception?.threadID == 4712,
                cut.exception?.registers == complete.exception?.registers,
                cut.process.id == 4711, thread?.registers != nil,
                let stack = thread?.stack, stack.bytes.count >= SampleDumps.firstStack.count,
                !cut.messages.isEmpty, !cut.damage.isEmpty
            else {
                Issue.record("cut after \(length) bytes")
                return
            }
            // Of the same length, the root's counts.
            let more = stack.bytes.count - SampleDumps.firstStack.count
            if more > 0 && thread?.completeness == .partial
                || length < SampleDumps.headBytes && thread?.completeness == .complete
            {
                Issue.record("cut after \(length) bytes: \(thread?.completeness as Any)")
            }
        }
    }

    @Test("A cut inside the first record keeps what is before the cut, and never traps")
    func cutInside() throws {
        let start = SampleDumps.launch(headBytes: 4096).bytes.count
        let end = SampleDumps.headOfCrash().bytes.count
        for length in start + 3..<end {
            let cut = try IntermediateDump(ByteSlice(Array(SampleDumps.head[..<length])))
            guard case .crash(let snapshot) = cut.contents else {
                Issue.record("cut after \(length) bytes: not taken for a crash")
                continue
            }
            #expect(!snapshot.damage.isEmpty)
            #expect(snapshot.crashingThread == nil || snapshot.exception?.threadID == 4712)
        }
    }

    @Test("Messages of the root are better as soon as they are whole")
    func messages() throws {
        var dump = SampleDumps.headOfCrash()
        dump.array(.messages) {
            $0.map {
                $0.add(.messageSource, "c++")
                $0.add(.messageText, "std::bad_alloc")
            }
        }
        #expect(try snapshot(dump.bytes).messages.map(\.text) == ["std::bad_alloc"])
        let cut = Array(dump.bytes.dropLast(2))
        #expect(try snapshot(cut).messages.map(\.text) == ["stored first"])
    }

    @Test("Modules may be stored first, and each counts until the root has it")
    func modules() throws {
        var dump = SampleDumps.launch(headBytes: 4096)
        func add(_ name: String, _ kind: UInt8, _ address: UInt64, to modules: inout DumpBuilder) {
            modules.map {
                $0.add(.moduleAddress, address)
                $0.add(.moduleSize, 0x1000)
                $0.add(.moduleName, name)
                $0.add(.moduleKind, kind)
            }
        }
        dump.map(.firstRecord) {
            $0.array(.modules) { add("/first", 1, 0x40_0000, to: &$0) }
            $0.array(.modules) { add("/library", 2, 0x70_0000, to: &$0) }
        }
        #expect(try snapshot(dump.bytes).modules.map(\.path) == ["/first", "/library"])
        dump.array(.modules) { add("/later", 1, 0x40_0000, to: &$0) }
        #expect(try snapshot(dump.bytes).modules.map(\.path) == ["/later", "/library"])
    }

    @Test("A first record that is no map is left out, and said to be")
    func wrongKind() throws {
        var dump = SampleDumps.launch()
        dump.add(.firstRecord, bytes: [1, 2, 3])
        let snapshot = try snapshot(dump.finished)
        #expect(snapshot.exception == nil)
        #expect(
            snapshot.damage.contains { $0.sentence.contains("FIRST_RECORD is no map here") })
    }
}
