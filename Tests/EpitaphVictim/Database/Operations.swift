// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphValues
import Foundation

extension Epitaph.ID {
    var lowercased: String { description }
}

extension DatabaseVictim {
    /// The bytes of the report with this id: several pages, all of them its own.
    static func minidump(of uuid: Epitaph.ID) -> [UInt8] {
        Array(String(repeating: uuid.description + "\n", count: 250).utf8)
    }

    static func uuid(_ arguments: [String]) -> Epitaph.ID {
        guard let text = arguments.first, let uuid = Epitaph.ID(text) else {
            fail("an id is missing", status: 64)
        }
        return uuid
    }

    static func perform(_ operation: String, _ arguments: [String], on database: ReportDatabase)
        throws
    {
        switch operation {
        case "file": try file(uuid(arguments), in: database, withAttachment: true)
        case "file-batch":
            try fileBatch(arguments.compactMap { Epitaph.ID($0) }, in: database)
        case "fail": try database.beginUpload(of: uuid(arguments)).recordFailure()
        case "refuse":
            let attempt = try database.beginUpload(of: uuid(arguments))
            var state = attempt.deliveryState
            state.isFinal = true
            state.lastOutcome = .init(
                time: Timestamp(secondsSince1970: 1_800_000_000),
                server: "https://crash.example.org",
                status: 404, words: "no such project")
            try attempt.recordFailure(state, isRequestSettled: true)
        case "send":
            let uuid = uuid(arguments)
            try database.beginUpload(of: uuid).recordSuccess(serverID: "server-\(uuid)")
        case "send-batch": try sendBatch(arguments.compactMap { Epitaph.ID($0) }, database)
        case "skip": try database.skipUpload(of: uuid(arguments))
        case "request": try database.requestUpload(of: uuid(arguments))
        case "delete": try database.delete(uuid(arguments))
        case "prune": try prune(arguments, database)
        case "consent": try database.updateSettings { $0.uploadsEnabled = true }
        case "list": try list(database)
        default: try SharedWork(database, arguments).perform(operation)
        }
    }

    static func file(_ uuid: Epitaph.ID, in database: ReportDatabase, withAttachment: Bool) throws {
        let report = try database.prepareReport(uuid)
        var sink = report.sink
        try sink.append(minidump(of: uuid))
        if withAttachment {
            try report.addAttachment("log").writeAll(Array("log of \(uuid)".utf8), at: 0)
        }
        try report.finish()
    }

    /// Every report has an attachment, but where there are only two of them.
    static func fileBatch(_ uuids: [Epitaph.ID], in database: ReportDatabase) throws {
        var reports: [NewReport] = []
        for uuid in uuids {
            // Done again, it does the rest.
            guard try !database.isFiled(uuid) else { continue }
            let report = try database.prepareReport(uuid)
            var sink = report.sink
            try sink.append(minidump(of: uuid))
            if uuids.count > 2 {
                try report.addAttachment("log").writeAll(
                    Array("log of \(uuid)".utf8), at: 0)
            }
            reports.append(report)
        }
        // The others are filed all the same.
        if let failure = database.file(reports).compactMap({ $0 }).first { throw failure }
    }

    /// All are begun before the first is sent, and recorded when all are.
    static func sendBatch(_ uuids: [Epitaph.ID], _ database: ReportDatabase) throws {
        var successes: [(attempt: UploadAttempt, serverID: String)] = []
        var failures: [DatabaseError] = []
        for (uuid, start) in zip(uuids, database.beginUploads(of: uuids)) {
            switch start {
            case .success(let attempt): successes.append((attempt, "server-\(uuid)"))
            // Done again, it does the rest.
            case .failure(.notFound), .failure(.alreadyUploaded): continue
            case .failure(let error): failures.append(error)
            }
        }
        failures += database.recordSuccesses(successes).compactMap { $0 }
        if let failure = failures.first { throw failure }
    }

    /// What is left of the reports after `prune COUNT`, a problem being a failure.
    static func prune(_ arguments: [String], _ database: ReportDatabase) throws {
        let count = arguments.first.flatMap { Int($0) } ?? 0
        let summary = try database.prune(PrunePolicy(maxRecordCount: count))
        for removal in summary.removals { say("pruned \(removal.candidate.uuid)") }
        if let problem = summary.problems.first { fail(problem, status: 1) }
    }

    static func list(_ database: ReportDatabase) throws {
        for state in ReportState.allCases {
            let list = try database.reports(state)
            for report in list.reports {
                say(
                    "\(report.uuid) \(state.rawValue) \(report.uploadAttempts) "
                        + "\(report.isUploaded) \(report.isUploadRequested)")
            }
            for problem in list.problems { say("problem \(problem.sentence)") }
        }
    }
}
