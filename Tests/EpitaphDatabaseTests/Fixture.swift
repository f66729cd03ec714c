// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation

/// A fresh database with a clock set to 1 700 000 000 s after 1970.
struct Fixture {
    let temporary: TemporaryDirectory
    let clock = TestClock(Timestamp(secondsSince1970: 1_700_000_000))
    let database: ReportDatabase

    init() throws {
        temporary = try TemporaryDirectory()
        database = try ReportDatabase(
            opening: temporary.path("db"), ifMissing: .create, clock: clock)
    }

    func path(_ name: String) -> String { temporary.path("db/" + name) }

    func reopened() throws -> ReportDatabase {
        try ReportDatabase(opening: temporary.path("db"), ifMissing: .fail, clock: clock)
    }

    /// Files a report that holds `bytes`.
    @discardableResult
    func file(_ bytes: [UInt8] = [1, 2, 3], _ uuid: Epitaph.ID = Epitaph.ID()) throws -> Report {
        let report = try database.prepareReport(uuid)
        try report.append(bytes)
        return try report.finish()
    }

    func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: path(name))
    }

    func bytes(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(fileURLWithPath: path(name))))
    }

    func write(_ bytes: [UInt8], _ name: String) throws {
        try temporary.write(bytes, to: "db/" + name)
    }

    func names(_ directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path(directory)).sorted()
    }
}

extension NewReport {
    func append(_ bytes: [UInt8]) throws {
        var sink = sink
        try bytes.withUnsafeBytes { try sink.append($0) }
    }
}

extension Report {
    var stem: String { uuid.description }
}
