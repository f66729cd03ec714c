// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphIntermediateDump
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation

/// A database with dumps to be swept.
struct Fixture {
    let temporary: TemporaryDirectory
    let database: ReportDatabase

    init() throws {
        temporary = try TemporaryDirectory()
        database = try ReportDatabase(opening: temporary.path("db"), ifMissing: .create)
        try Directory.make(path(""))
    }

    /// A path in the directory of the pending dumps.
    func path(_ name: String) -> String { temporary.path("db/pending-dumps/" + name) }

    /// Writes a dump's file; `name` is all of it but the id.
    @discardableResult
    func put(
        _ bytes: [UInt8] = Dumps.crash, bundle: String = "org.example",
        _ uuid: Epitaph.ID = Epitaph.ID(),
        ending: String = ""
    ) throws -> String {
        let name = "\(bundle)@\(uuid.description)\(ending)"
        try temporary.write(bytes, to: "db/pending-dumps/" + name)
        return name
    }

    /// As above with a whole crash.
    @discardableResult
    func put(bundle: String = "org.example", _ uuid: Epitaph.ID, ending: String = "") throws
        -> String
    {
        try put(Dumps.crash, bundle: bundle, uuid, ending: ending)
    }

    func sweep(_ options: DumpSweep.Options) throws -> SweepSummary {
        try sweep(MinidumpConverter(), options)
    }

    func sweep(
        _ converter: any DumpConverter = MinidumpConverter(),
        clock: any WallClock = SystemWallClock(),
        proc: ProcFileSystem = ProcFileSystem(), _ options: DumpSweep.Options = .init()
    ) throws -> SweepSummary {
        try DumpSweep(database, converter: converter, clock: clock, proc: proc).run(options)
    }

    var pendingNames: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: path("")).sorted()
        }
    }

    var reportIDs: Set<Epitaph.ID> {
        get throws { Set(try database.reports(.pending).reports.map(\.uuid)) }
    }
}

extension SweepSummary {
    var outcomes: [DumpOutcome] { entries.map(\.outcome) }
}

/// Dumps as the handler writes them.
enum Dumps {
    /// SIGSEGV of thread 4712 at 0xdead; x86_64 (62 is ELF's number for it).
    static let crash = crash(threads: 1, stackBytes: 64)

    static func crash(threads: UInt64, stackBytes: Int) -> [UInt8] {
        var dump = DumpBuilder()
        dump.add(.version, 1)
        dump.add(.architecture, 62)
        addLaunchRecord(to: &dump, boot: Epitaph.ID(), processID: 4711)
        dump.map(.signalException) {
            $0.add(.signalNumber, 11)
            $0.add(.signalCode, 1)
            $0.add(.signalAddress, 0xdead)
            $0.add(.threadID, 4712)
        }
        dump.array(.threads) { list in
            for index in 0..<threads {
                list.map {
                    $0.add(.threadID, 4712 + index)
                    $0.add(.threadName, "worker")
                    $0.add(.stackRegionAddress, 0x7000 + index << 24)
                    $0.add(.stackRegionData, bytes: [UInt8](repeating: 7, count: stackBytes))
                }
            }
        }
        return dump.finished
    }

    /// What a process that did not crash leaves. The boot is not this one unless given.
    static func launchOnly(
        boot: Epitaph.ID = Epitaph.ID(), processID: Int32 = 4711, startTicks: UInt64 = 1,
        pidNamespace: UInt64 = 1
    ) -> [UInt8] {
        var dump = DumpBuilder()
        dump.add(.version, 1)
        dump.add(.architecture, 62)
        addLaunchRecord(
            to: &dump, boot: boot, processID: processID, startTicks: startTicks,
            pidNamespace: pidNamespace)
        return dump.bytes
    }

    /// What follows the launch record of a process that ended well: PROPERTY, key 10110, 16 bytes,
    /// ROOT_MAP_END; docs/dump-format.md.
    static let cleanExit: [UInt8] =
        [5, 0x7e, 0x27, 16, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 16) + [7]

    static var otherVersion: [UInt8] {
        var dump = DumpBuilder()
        dump.add(.version, 9)
        dump.add(.architecture, 62)
        return dump.finished
    }

    static func addLaunchRecord(
        to dump: inout DumpBuilder, boot: Epitaph.ID, processID: Int32, startTicks: UInt64 = 1,
        pidNamespace: UInt64 = 1
    ) {
        dump.map(.launchRecord) {
            $0.add(.launchPID, processID)
            $0.add(.launchStartTicks, startTicks)
            $0.add(.launchBootID, bytes: boot.bytes)
            $0.add(.launchPIDNamespace, pidNamespace)
        }
    }
}
