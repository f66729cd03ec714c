// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct LockedFileTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test("A living owner's file is left alone until it dies; then its crash is a report")
    func ownerDies() throws {
        let uuid = Epitaph.ID()
        let name = try fixture.put(uuid, ending: ".locked")
        let owner = try LockHolder(.record, on: fixture.path(name))
        #expect(
            try fixture.sweep().outcomes
                == [.stillAlive(.holdsLock(processID: owner.processID))])
        #expect(try fixture.pendingNames == [name])
        owner.killWithoutWaiting()
        #expect(try fixture.sweep().reportIDs == [uuid])
        #expect(try fixture.pendingNames.isEmpty)
    }

    @Test("A dead owner that did not crash leaves nothing, and is counted")
    func endedWithoutCrash() throws {
        try fixture.put(Dumps.launchOnly(), ending: ".locked")
        let empty = try fixture.put([], ending: ".locked")
        let late = TestClock(Timestamp.now.adding(seconds: 61))
        #expect(try fixture.sweep().outcomes.contains(.stillAlive(.mayBeStarting)))
        #expect(try fixture.pendingNames == [empty])
        #expect(try fixture.sweep(clock: late).endedWithoutCrashCount == 1)
        #expect(try fixture.pendingNames.isEmpty)
        #expect(try fixture.reportIDs.isEmpty)
    }

    @Test("A sweep that is asked to stop leaves the files of dead owners for the next one")
    func stopped() throws {
        let name = try fixture.put(Dumps.launchOnly(), ending: ".locked")
        var options = DumpSweep.Options()
        options.shouldStop = { true }
        #expect(try fixture.sweep(options).outcomes == [.waiting])
        #expect(try fixture.pendingNames == [name])
    }

    @Test("What is told of a dead owner depends on its mark and on the boot")
    func ends() throws {
        let proc = ProcFileSystem()
        let boot = try proc.bootID()
        try fixture.put(Dumps.launchOnly(boot: boot), bundle: "a", ending: ".locked")
        try fixture.put(Dumps.launchOnly(), bundle: "b", ending: ".locked")
        let clean = Dumps.launchOnly() + Dumps.cleanExit
        try fixture.put(clean, bundle: "c", ending: ".locked")
        let summary = try fixture.sweep()
        #expect(
            Dictionary(uniqueKeysWithValues: summary.entries.map { ($0.bundleID, $0.outcome) })
                == ["a": .ended(.killed), "b": .ended(.lostToReboot), "c": .ended(.cleanly)])
        #expect(try fixture.pendingNames.isEmpty)
    }

    @Test("A process that marked its end and runs on without Epitaph does not keep its file")
    func stoppedAndRunning() throws {
        let proc = ProcFileSystem()
        let child = try LockHolder(.none, on: fixture.temporary.write([], to: "any"))
        guard case .running(let ticks) = proc.state(of: child.processID) else {
            Issue.record("the child does not run")
            return
        }
        let record = Dumps.launchOnly(
            boot: try proc.bootID(), processID: child.processID, startTicks: ticks,
            pidNamespace: try proc.pidNamespace())
        let name = try fixture.put(record + Dumps.cleanExit, ending: ".locked")
        let owner = try LockHolder(.record, on: fixture.path(name))
        #expect(try fixture.sweep().stillAliveCount == 1)
        owner.end()
        #expect(try fixture.sweep().outcomes == [.ended(.cleanly)])
        child.end()
    }

    @Test("Dumps that were given up are told of once")
    func dropped() throws {
        let name = "db/pending-dumps/org.example.dropped"
        try fixture.temporary.write([0x2e, 0x2e, 0x2e], to: name)
        let writer = try LockHolder(.wholeFile, on: fixture.temporary.path(name))
        #expect(try fixture.sweep().droppedCount == 0)
        writer.end()
        #expect(try fixture.sweep().outcomes == [.dropped(count: 3)])
        #expect(try fixture.sweep() == SweepSummary())
    }

    /// A launch record of this very process.
    private func ownRecord() throws -> [UInt8] {
        let proc = ProcFileSystem()
        guard case .running(let ticks) = proc.state(of: getpid()) else { return [] }
        return Dumps.launchOnly(
            boot: try proc.bootID(), processID: getpid(), startTicks: ticks,
            pidNamespace: try proc.pidNamespace())
    }

    @Test("A file that this process left when it was another program ended by exec")
    func replaced() throws {
        try fixture.put(try ownRecord(), ending: ".locked")
        #expect(try fixture.sweep().outcomes == [.ended(.exec)])
        #expect(try fixture.pendingNames.isEmpty)
        let launch = try #require(try fixture.database.launchHistory(of: "org.example").first)
        #expect(launch.end == .exec)
    }

    @Test("A file of this process that it has mapped and not open is left alone")
    func mapped() throws {
        let name = try fixture.put(try ownRecord(), ending: ".locked")
        let descriptor = open(fixture.path(name), O_RDWR)
        let head = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        close(descriptor)
        #expect(try fixture.sweep().outcomes == [.stillAlive(.runs(processID: getpid()))])
        munmap(head, 4096)
        #expect(try fixture.sweep().outcomes == [.ended(.exec)])
    }

    @Test("A clean end tells which handlers had been displaced")
    func displaced() throws {
        // DISPLACED_HANDLERS with one map: DISPLACED_SIGNAL 11, DISPLACING_HANDLER 0x401000.
        let handlers: [UInt8] =
            [3, 0xf6, 0x27, 1, 5, 0xf7, 0x27, 4, 0, 0, 0, 0, 0, 0, 0, 11, 0, 0, 0]
            + [5, 0xf8, 0x27, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0x40, 0, 0, 0, 0, 0, 2, 4]
        try fixture.put(Dumps.launchOnly() + handlers + Dumps.cleanExit, ending: ".locked")
        let entry = try #require(try fixture.sweep().entries.first)
        #expect(entry.outcome == .ended(.cleanly))
        #expect(entry.displacedHandlers == [DisplacedHandler(signal: 11, address: 0x40_1000)])
        #expect(entry.lastWritten?.secondsSince1970 == 0)
    }

    @Test("A head that nothing was stored in is an empty file, not a broken one")
    func emptyHead() throws {
        try fixture.put([UInt8](repeating: 0, count: 65_536), ending: ".locked")
        let late = TestClock(Timestamp.now.adding(seconds: 61))
        #expect(try fixture.sweep(clock: late).outcomes == [.ended(.unknown)])
    }

    @Test("Names that vanish after the listing are not counted", arguments: ["", ".locked"])
    func vanished(ending: String) throws {
        let name = try fixture.put(ending: ending)
        try fixture.temporary.write([0x2e], to: "db/pending-dumps/org.example.dropped")
        let paths = [name, "org.example.dropped"].map(fixture.path)
        // The clock is asked once the names are known.
        let clock = RemovingClock { for path in paths { unlink(path) } }
        #expect(try fixture.sweep(clock: clock) == SweepSummary())
        let second = try fixture.put(ending: ".locked")
        let converter = RemovingConverter(path: fixture.path(second))
        #expect(try fixture.sweep(converter) == SweepSummary())
    }

    @Test("A partial crash of a dead owner becomes a report")
    func partial() throws {
        let uuid = Epitaph.ID()
        let bytes = Array(Dumps.crash.prefix(Dumps.launchOnly().count + 30))
        try fixture.put(bytes, uuid, ending: ".locked")
        #expect(try fixture.sweep().reportIDs == [uuid])
    }

    @Test("A process that lost its lock is known by its launch record, until it dies")
    func lostLock() throws {
        let child = try LockHolder(.none, on: fixture.temporary.write([], to: "any"))
        let proc = ProcFileSystem()
        guard case .running(let ticks) = proc.state(of: child.processID) else {
            Issue.record("the child does not run")
            return
        }
        let bytes = Dumps.launchOnly(
            boot: try proc.bootID(), processID: child.processID, startTicks: ticks,
            pidNamespace: try proc.pidNamespace())
        try fixture.put(bytes, ending: ".locked")
        #expect(
            try fixture.sweep().outcomes == [.stillAlive(.runs(processID: child.processID))])
        child.end()
        #expect(try fixture.sweep().outcomes == [.ended(.killed)])
    }

    @Test(
        "The sweep never opens a file of its own process, so its lock stays",
        arguments: [true, false])
    func ownFile(isNamed: Bool) throws {
        let name = try fixture.put(ending: ".locked")
        let file = try FileDescriptor.open(fixture.path(name), flags: O_RDWR, mode: 0)
        #expect(try RecordLock.tryLocking(file))
        var options = DumpSweep.Options()
        var proc = ProcFileSystem()
        if isNamed {
            options.ownFiles = [fixture.path(name)]
            proc = ProcFileSystem(root: "/nonexistent")
        }
        #expect(try fixture.sweep(proc: proc, options).stillAliveCount == 1)
        let other = try Subprocess.run([
            "python3", "-c",
            "import fcntl,sys; fcntl.lockf(open(sys.argv[1],'r+b'), fcntl.LOCK_EX|fcntl.LOCK_NB)",
            fixture.path(name),
        ])
        #expect(other.ending == .exited(1))
        #expect(other.standardError.contains("BlockingIOError"))
        #expect(try fixture.pendingNames == [name])
    }

    @Test("Another bundle's dead owner is seen too")
    func otherBundle() throws {
        let uuid = Epitaph.ID()
        try fixture.put(bundle: "other", uuid, ending: ".locked")
        var options = DumpSweep.Options()
        options.ownBundleID = "org.example"
        #expect(try fixture.sweep(options).reportIDs == [uuid])
    }
}

/// Removes something when the time is read.
private struct RemovingClock: WallClock {
    let remove: @Sendable () -> Void

    init(_ remove: @escaping @Sendable () -> Void) {
        self.remove = remove
    }

    func now() -> Timestamp {
        remove()
        return Timestamp.now
    }
}

/// Removes a file when its contents are read.
private struct RemovingConverter: DumpConverter {
    let path: String

    func contents(of dump: ByteSlice) -> DumpContents {
        unlink(path)
        return MinidumpConverter().contents(of: dump)
    }

    func writeMinidump<Sink: ByteSink>(
        of dump: ReadDump, named name: DumpName, clientID: Epitaph.ID?, attempt: Int,
        to sink: inout Sink
    ) throws(ConversionError) -> KeptSignature? where Sink.Failure == SystemError {
        throw .unusable("not asked for")
    }
}
