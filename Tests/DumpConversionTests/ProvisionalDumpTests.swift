// SPDX-License-Identifier: Apache-2.0

import Bytes
import DumpConversion
import Foundation
import IntermediateDump
import LinuxSystem
import Minidump
import Snapshot
import TestSupport
import Testing

/// Dumps that count only if their process was killed for want of memory.
@Suite struct ProvisionalDumpTests {
    private let fixture: Fixture
    private let boot: UUID

    init() throws {
        fixture = try Fixture()
        boot = try ProcFileSystem().bootID()
    }

    private func dump(provisional: Bool = true, kind: UInt8 = 5) -> [UInt8] {
        var dump = DumpBuilder()
        dump.add(.version, 1)
        dump.add(.architecture, 62)
        Dumps.addLaunchRecord(to: &dump, boot: boot, processID: 4711)
        dump.map(.reportRequest) {
            $0.add(.reportKind, kind)
            $0.add(.reportDuration, 0)
            if provisional { $0.add(.reportIsProvisional, 1) }
        }
        return dump.finished
    }

    private func crash() -> [UInt8] {
        var dump = DumpBuilder()
        dump.add(.version, 1)
        dump.add(.architecture, 62)
        Dumps.addLaunchRecord(to: &dump, boot: boot, processID: 4711)
        dump.map(.signalException) { $0.add(.signalNumber, 11) }
        return dump.finished
    }

    @Test("That of a process that was killed is a report, and says what it is of")
    func killed() throws {
        let id = UUID()
        try fixture.put(dump(), id, ending: ".locked")
        try fixture.put(Dumps.launchOnly(boot: boot), ending: ".locked")
        #expect(try fixture.sweep().reportIDs == [id])
        let report = try fixture.database.report(id)
        let minidump = try MinidumpReader.read(try fixture.database.contents(of: report))
        #expect(minidump.snapshot.kind == .memoryWarning)
        #expect(try fixture.pendingNames.isEmpty)
    }

    @Test("That of a process that ended well or crashed goes without a word")
    func otherEnds() throws {
        let ends: [([UInt8], String)] = [
            (Dumps.launchOnly(boot: boot) + Dumps.cleanExit, ".locked"), (crash(), ""),
        ]
        for (bytes, ending) in ends {
            let provisional = UUID()
            try fixture.put(dump(), provisional, ending: ".locked")
            try fixture.put(bytes, ending: ending)
            let summary = try fixture.sweep()
            #expect(summary.entries.count == 1)
            #expect(!summary.reportIDs.contains(provisional))
            #expect(try fixture.pendingNames.isEmpty)
        }
    }

    @Test("While its process lives it is left alone")
    func alive() throws {
        let name = try fixture.put(dump(), ending: ".locked")
        let owner = try LockHolder(.record, on: fixture.path(name))
        #expect(try fixture.sweep().stillAliveCount == 1)
        #expect(try fixture.pendingNames == [name])
        owner.end()
    }

    @Test("The dump of a hang is a report, however its process ended")
    func hang() throws {
        let id = UUID()
        try fixture.put(dump(provisional: false, kind: 3), id, ending: ".locked")
        try fixture.put(Dumps.launchOnly(boot: boot) + Dumps.cleanExit, ending: ".locked")
        #expect(try fixture.sweep().reportIDs == [id])
    }

    @Test("What is asked of a dump is known without decoding the rest")
    func request() {
        #expect(IntermediateDump.request(of: ByteSlice(dump()))?.isProvisional == true)
        #expect(IntermediateDump.request(of: ByteSlice(crash())) == nil)
        #expect(IntermediateDump.request(of: ByteSlice(Dumps.launchOnly())) == nil)
        #expect(IntermediateDump.request(of: ByteSlice([1, 2, 3])) == nil)
        for count in 0..<dump().count {
            _ = IntermediateDump.request(of: ByteSlice(Array(dump().prefix(count))))
        }
    }
}
