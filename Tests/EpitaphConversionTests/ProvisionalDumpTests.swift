// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphIntermediateDump
import EpitaphMinidump
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphConversion

/// Dumps that count only if their process was killed for want of memory.
@Suite struct ProvisionalDumpTests {
    private let fixture: Fixture
    private let boot: Epitaph.ID
    /// What the kernel's counter said when the process started.
    private static let killsAtStart: UInt64 = 3

    init() throws {
        fixture = try Fixture()
        boot = try ProcFileSystem().bootID()
    }

    /// A dump of the process 4711, `daemond`.
    private func start() -> DumpBuilder {
        var dump = DumpBuilder()
        dump.add(.version, 1)
        dump.add(.architecture, 62)
        dump.map(.launchRecord) {
            $0.add(.launchPID, 4711)
            $0.add(.launchStartTicks, 1_000)
            $0.add(.launchBootID, bytes: boot.bytes)
            $0.add(.launchPIDNamespace, OutOfMemoryJudge.firstNamespace)
            $0.add(.launchExecutable, "/usr/sbin/daemond")
            $0.add(.launchOOMKills, "kernel \(Self.killsAtStart)\n")
        }
        return dump
    }

    private func dump(provisional: Bool = true, kind: UInt8 = 5) -> [UInt8] {
        var dump = start()
        dump.map(.reportRequest) {
            $0.add(.reportKind, kind)
            $0.add(.reportDuration, 0)
            if provisional { $0.add(.reportIsProvisional, 1) }
        }
        return dump.finished
    }

    private func crash() -> [UInt8] {
        var dump = start()
        dump.map(.signalException) { $0.add(.signalNumber, 11) }
        return dump.finished
    }

    private func sweep(
        kernelKills: UInt64 = killsAtStart, log: [KernelMessage]? = nil
    ) throws -> SweepSummary {
        var judge = OutOfMemoryJudge(ProcFileSystem())
        judge.groupKills = { _ in nil }
        judge.kernelKills = { kernelKills }
        judge.kernelLog = { log }
        return try DumpSweep(
            fixture.database, converter: MinidumpConverter(), clock: SystemWallClock(),
            proc: ProcFileSystem(), outOfMemory: judge, machineLogs: MachineLogs()
        ).run()
    }

    private func kind(of id: Epitaph.ID) throws -> ReportKind? {
        let report = try fixture.database.report(id)
        return try MinidumpReader.read(try fixture.database.contents(of: report)).snapshot.kind
    }

    @Test("A process that the kernel names as killed for memory has a report that says so")
    func certain() throws {
        let id = Epitaph.ID()
        try fixture.put(dump(), id, ending: ".locked")
        try fixture.put(start().bytes, ending: ".locked")
        let line = "Out of memory: Killed process 4711 (daemond) total-vm:99kB, anon-rss:9kB"
        let log = [KernelMessage(microseconds: 60_000_000, text: line)]
        #expect(try sweep(kernelKills: 4, log: log).reportIDs == [id])
        #expect(try kind(of: id) == .outOfMemory)
        #expect(try fixture.pendingNames.isEmpty)
    }

    @Test("Where it may have been another the report says that memory was scarce, and no more")
    func possible() throws {
        let id = Epitaph.ID()
        try fixture.put(dump(), id, ending: ".locked")
        try fixture.put(start().bytes, ending: ".locked")
        #expect(try sweep(kernelKills: 4).reportIDs == [id])
        #expect(try kind(of: id) == .memoryWarning)
    }

    @Test("Where nobody was killed for memory, or after a clean end or a crash, it goes")
    func otherEnds() throws {
        let ends: [([UInt8], String)] = [
            (start().bytes, ".locked"), (start().bytes + Dumps.cleanExit, ".locked"), (crash(), ""),
        ]
        for (number, (bytes, ending)) in ends.enumerated() {
            let provisional = Epitaph.ID()
            try fixture.put(dump(), provisional, ending: ".locked")
            try fixture.put(bytes, ending: ending)
            let summary = try sweep(kernelKills: Self.killsAtStart + (number == 0 ? 0 : 1))
            #expect(summary.entries.count == 1)
            #expect(!summary.reportIDs.contains(provisional))
            #expect(try fixture.pendingNames.isEmpty)
        }
    }

    @Test("While its process lives it is left alone")
    func alive() throws {
        let name = try fixture.put(dump(), ending: ".locked")
        let owner = try LockHolder(.record, on: fixture.path(name))
        #expect(try sweep().stillAliveCount == 1)
        #expect(try fixture.pendingNames == [name])
        owner.end()
    }

    @Test("The dump of a hang is a report, however its process ended")
    func hang() throws {
        let id = Epitaph.ID()
        try fixture.put(dump(provisional: false, kind: 3), id, ending: ".locked")
        try fixture.put(start().bytes + Dumps.cleanExit, ending: ".locked")
        #expect(try sweep().reportIDs == [id])
    }

    @Test("A dump can be said to be of another kind; one that says none stays as it is")
    func replacing() {
        let replaced = IntermediateDump.replacingKind(of: ByteSlice(dump()), with: .outOfMemory)
        #expect(IntermediateDump.request(of: replaced)?.kind == .outOfMemory)
        #expect(replaced.count == dump().count)
        let crash = ByteSlice(crash())
        #expect(IntermediateDump.replacingKind(of: crash, with: .outOfMemory).array == crash.array)
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
