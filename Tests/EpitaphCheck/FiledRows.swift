// SPDX-License-Identifier: Apache-2.0
//
// EpitaphCheck reports DIRECTORY: files a report for each row of crashes on standard input, as
// docs/fleet.md has them, in a database for each program below the directory. A report arrived when
// its row did, and has the row's signature.

import EpitaphDatabase
import EpitaphFleet
import EpitaphMinidump
import EpitaphTestSupport
import EpitaphValues
import Foundation

struct FiledRows {
    private let directory: String
    private var databases: [String: (database: ReportDatabase, clock: TestClock)] = [:]

    static func run(_ arguments: [String]) throws {
        guard arguments.count == 2 else {
            FileHandle.standardError.write(Data("usage: EpitaphCheck reports DIRECTORY\n".utf8))
            exit(2)
        }
        var filed = FiledRows(directory: arguments[1])
        while let line = readLine() {
            guard let record = CrashRecord(json: Array(line.utf8)) else {
                fatalError("no row of crashes: \(line)")
            }
            try filed.file(record)
        }
    }

    private init(directory: String) {
        self.directory = directory
    }

    private mutating func file(_ record: CrashRecord) throws {
        let (database, clock) = try opened(record.program)
        clock.set(record.arrived ?? record.time)
        let report = try database.prepareReport(record.id)
        var sink = report.sink
        try MinidumpWriter(snapshot: Self.snapshot(record), reportID: record.id, clientID: nil)
            .write(to: &sink)
        try report.finish()
        SignatureCache(database).store(
            KeptSignature(
                text: record.signature, identifier: record.signatureID, isComplete: true),
            of: record.id)
    }

    private mutating func opened(
        _ program: String
    ) throws -> (database: ReportDatabase, clock: TestClock) {
        if let known = databases[program] { return known }
        let clock = TestClock()
        let made = try ReportDatabase(
            opening: "\(directory)/\(program)", ifMissing: .create, clock: clock)
        databases[program] = (made, clock)
        return (made, clock)
    }

    private static func snapshot(_ record: CrashRecord) -> ProcessSnapshot {
        var snapshot = ProcessSnapshot(architecture: .x86_64)
        snapshot.process.snapshotTime = record.time
        snapshot.modules = [
            ModuleSnapshot(
                path: "/usr/bin/" + record.program, addressRange: 0x1000..<0x2000,
                kind: .executable)
        ]
        snapshot.threads = [ThreadSnapshot(id: 1, completeness: .complete)]
        if record.kind == "hang" || record.kind == "handled-error" {
            snapshot.request = ReportRequest(kind: record.kind == "hang" ? .hang : .handledError)
        } else {
            var exception = ExceptionSnapshot(signal: 11, code: 1, address: 0)
            exception.threadID = 1
            snapshot.exception = exception
        }
        snapshot.annotations = record.annotations.inKeyOrder.map {
            Annotation(name: $0.key, value: $0.value)
        }
        snapshot.annotations.append(Annotation(name: "ver", value: record.version))
        return snapshot
    }
}
