// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct LockfileTests {
    let fixture: Fixture
    let report: Report
    var lockPath: String { fixture.path("pending/\(report.stem).lock") }

    init() throws {
        fixture = try Fixture()
        report = try fixture.file()
    }

    /// A lock file as Crashpad's tools make it: 8 bytes of time_t, and no flock on it.
    private func writeLock(ageSeconds: Int64) throws {
        var time = (Int64(fixture.clock.now().secondsSince1970) - ageSeconds).littleEndian
        let bytes = withUnsafeBytes(of: &time) { Array($0) }
        try fixture.write(bytes, "pending/\(report.stem).lock")
    }

    @Test("A lock begins with the time as eight bytes and goes with the attempt")
    func contents() throws {
        let attempt = try fixture.database.beginUpload(of: report.uuid)
        let bytes = try fixture.bytes("pending/\(report.stem).lock")
        #expect(bytes.prefix(8) == [0x00, 0xF1, 0x53, 0x65, 0, 0, 0, 0])
        // Then the holder: mark, process, start, pid namespace and boot.
        #expect(Array(bytes.dropFirst(8).prefix(4)) == Array("EPLK".utf8))
        #expect(bytes.count == 48)
        attempt.recordFailure()
        #expect(!fixture.exists("pending/\(report.stem).lock"))
    }

    /// A fresh lock with its owner, without a flock.
    private func writeOwnedLock(
        processID: Int32, startTicks: UInt64, pidNamespace: UInt64, bootID: Epitaph.ID
    ) throws {
        try writeLock(ageSeconds: 0)
        var bytes = try fixture.bytes("pending/\(report.stem).lock") + Array("EPLK".utf8)
        withUnsafeBytes(of: processID.littleEndian) { bytes += $0 }
        withUnsafeBytes(of: startTicks.littleEndian) { bytes += $0 }
        withUnsafeBytes(of: pidNamespace.littleEndian) { bytes += $0 }
        bytes += bootID.bytes
        try fixture.write(bytes, "pending/\(report.stem).lock")
    }

    @Test("The lock of an owner that is provably dead does not wait; any other does")
    func deadOwner() throws {
        let proc = ProcFileSystem()
        let (boot, namespace) = (try proc.bootID(), try proc.pidNamespace())
        guard case .running(let ticks) = proc.state(of: getppid()) else { return }
        let rows: [(Int32, UInt64, UInt64, Epitaph.ID, Bool)] = [
            (getppid(), ticks, namespace, boot, true),
            // From another container: the kernel no longer has its lock.
            (getppid(), ticks, namespace &+ 1, boot, false),
            (getppid(), ticks &+ 1, namespace, boot, false),
            (getppid(), ticks, namespace, Epitaph.ID(), false),
            // No process has this number: it is above what pid_max may be.
            (4_194_305, ticks, namespace, boot, false),
        ]
        for (processID, startTicks, pidNamespace, bootID, isBusy) in rows {
            try writeOwnedLock(
                processID: processID, startTicks: startTicks, pidNamespace: pidNamespace,
                bootID: bootID)
            if isBusy {
                #expect(throws: DatabaseError.busy(report.uuid)) {
                    try fixture.database.beginUpload(of: report.uuid)
                }
                continue
            }
            let owner = try LockHolder(.wholeFile, on: lockPath)
            #expect(throws: DatabaseError.busy(report.uuid)) {
                try fixture.database.beginUpload(of: report.uuid)
            }
            owner.end()
            try fixture.database.beginUpload(of: report.uuid).recordFailure()
        }
    }

    @Test(
        "A lock nobody holds counts for two minutes, also when the clock was set back",
        arguments: [(0, true), (119, true), (120, false), (-119, true), (-120, false)])
    func staleness(ageSeconds: Int64, isBusy: Bool) throws {
        try writeLock(ageSeconds: ageSeconds)
        if isBusy {
            #expect(throws: DatabaseError.busy(report.uuid)) {
                try fixture.database.beginUpload(of: report.uuid)
            }
        } else {
            try fixture.database.beginUpload(of: report.uuid).recordFailure()
            #expect(!fixture.exists("pending/\(report.stem).lock"))
        }
    }

    @Test("An old lock is honoured as long as its owner lives")
    func livingOwner() throws {
        try writeLock(ageSeconds: 1_000_000)
        let owner = try LockHolder(.wholeFile, on: lockPath)
        #expect(throws: DatabaseError.busy(report.uuid)) {
            try fixture.database.beginUpload(of: report.uuid)
        }
        owner.end()
        try fixture.database.beginUpload(of: report.uuid).recordFailure()
    }

    @Test("An empty lock, its maker dead before it wrote, gets old by its file's time")
    func emptyLock() throws {
        try fixture.write([], "pending/\(report.stem).lock")
        let now = Timestamp.now
        let early = try ReportDatabase(
            opening: fixture.path(""), ifMissing: .fail, clock: TestClock(now))
        #expect(throws: DatabaseError.busy(report.uuid)) { try early.beginUpload(of: report.uuid) }
        let late = try ReportDatabase(
            opening: fixture.path(""), ifMissing: .fail,
            clock: TestClock(now.adding(seconds: 130)))
        try late.beginUpload(of: report.uuid).recordFailure()
    }

    @Test("Of many threads that want one report each time exactly one gets it")
    func contention() async throws {
        let fixture = fixture
        let uuid = report.uuid
        for _ in 0..<10 {
            let winners = await withTaskGroup(of: UploadAttempt?.self) { group in
                for _ in 0..<8 {
                    group.addTask { try? fixture.database.beginUpload(of: uuid) }
                }
                return await group.reduce(into: [UploadAttempt]()) {
                    if let attempt = $1 { $0.append(attempt) }
                }
            }
            #expect(winners.count == 1)
            winners.first?.recordFailure()
        }
        #expect(try fixture.database.report(uuid).uploadAttempts == 10)
    }

    @Test("A directory in a lock's place is an error and blocks no other report")
    func directoryAsLock() throws {
        try Directory.make(lockPath)
        #expect(throws: DatabaseError.self) {
            try fixture.database.beginUpload(of: report.uuid)
        }
        let other = try fixture.file()
        try fixture.database.beginUpload(of: other.uuid).recordFailure()
    }
}
