// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphMinidump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Files with crashes in them.
enum Sample {
    static let dumpPath = Products.fixture("intermediate-dumps/sample-x86_64.dump")

    static func dump() throws -> [UInt8] {
        try Array(Data(contentsOf: URL(fileURLWithPath: dumpPath)))
    }

    /// A process with one thread that died of a null write.
    static func snapshot(
        program: String = "/usr/bin/served", at instruction: UInt64 = 0x40_1234
    ) -> ProcessSnapshot {
        var snapshot = ProcessSnapshot(architecture: .x86_64)
        snapshot.process.id = 4711
        snapshot.process.snapshotTime = Timestamp(secondsSince1970: 1_787_368_447)
        snapshot.modules = [
            ModuleSnapshot(
                path: program, addressRange: 0x40_0000..<0x40_8000, kind: .executable)
        ]
        var thread = ThreadSnapshot(id: 4711, completeness: .complete)
        var registers = X86Registers()
        registers.rip = instruction
        thread.registers = .x86_64(registers)
        snapshot.threads = [thread]
        var exception = ExceptionSnapshot(signal: 11, code: 1, address: 0x10)
        exception.threadID = 4711
        exception.registers = .x86_64(registers)
        snapshot.exception = exception
        snapshot.annotations = [Annotation(name: "ver", value: "1.2.3")]
        return snapshot
    }

    static func minidump(program: String = "/usr/bin/served") throws -> [UInt8] {
        try minidump(snapshot(program: program))
    }

    static func minidump(_ snapshot: ProcessSnapshot) throws -> [UInt8] {
        let writer = MinidumpWriter(snapshot: snapshot, reportID: nil, clientID: nil)
        var bytes = ByteBuilder()
        writer.write(to: &bytes)
        return bytes.bytes
    }
}

/// A database in a directory of its own.
struct SampleDatabase {
    let directory: TemporaryDirectory
    let database: ReportDatabase

    var path: String { database.path }

    init() throws {
        directory = try TemporaryDirectory()
        database = try ReportDatabase(opening: directory.path("db"), ifMissing: .create)
    }

    /// Files a minidump, or any other bytes, as a pending report.
    @discardableResult
    func file(_ bytes: [UInt8], id: String) throws -> Epitaph.ID {
        let uuid = try #require(Epitaph.ID(id))
        let report = try database.prepareReport(uuid)
        var sink = report.sink
        try sink.append(bytes)
        try report.finish()
        return uuid
    }

    /// Puts a file where the handler leaves its dumps.
    @discardableResult
    func leaveDump(_ bytes: [UInt8], named name: String) throws -> String {
        let pending = path + "/pending-dumps"
        try FileManager.default.createDirectory(
            atPath: pending, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(fileURLWithPath: pending + "/" + name))
        return pending + "/" + name
    }

    func files(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + "/" + directory).sorted()
    }
}
