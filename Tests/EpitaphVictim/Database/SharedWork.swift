// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphValues
import Foundation
import Glibc

/// Work that runs beside that of other processes. Each step is printed as a line before another
/// process can continue from there.
struct SharedWork {
    let database: ReportDatabase
    /// How often, for work that ends by itself.
    let count: Int
    /// The file whose appearance ends the other kinds.
    let stopPath: String

    init(_ database: ReportDatabase, _ arguments: [String]) {
        self.database = database
        count = arguments.first.flatMap { Int($0) } ?? 0
        stopPath = arguments.last ?? ""
    }

    func perform(_ operation: String) throws {
        switch operation {
        case "file-many": try fileMany()
        case "send-many": try repeated { try sendOne() }
        case "prune-many": try repeated { try pruneOnce() }
        case "list-many": try repeated { try listOnce() }
        default: DatabaseVictim.fail("there is no operation \(operation)", status: 64)
        }
    }

    private func repeated(_ body: () throws -> Void) throws {
        repeat {
            let isLast = access(stopPath, F_OK) == 0
            try body()
            if isLast { return }
        } while true
    }

    private func fileMany() throws {
        for number in 0..<count {
            let uuid = Epitaph.ID()
            try DatabaseVictim.file(uuid, in: database, withAttachment: number.isMultiple(of: 3))
            DatabaseVictim.say("filed \(uuid)")
        }
    }

    /// Sends what waits; every third attempt fails.
    private func sendOne() throws {
        for (number, report) in try database.reports(.pending).reports.enumerated() {
            do {
                let attempt = try database.beginUpload(of: report.uuid)
                guard !number.isMultiple(of: 3) else {
                    attempt.recordFailure()
                    continue
                }
                // The server has it from here on, whether or not that is recorded.
                DatabaseVictim.say("sent \(report.uuid)")
                try attempt.recordSuccess(serverID: "server-\(report.uuid)")
            } catch DatabaseError.busy, DatabaseError.notFound, DatabaseError.alreadyUploaded {
                continue
            }
        }
    }

    private func pruneOnce() throws {
        let summary = try database.prune(PrunePolicy(maxRecordCount: count))
        for removal in summary.removals {
            DatabaseVictim.say("pruned \(removal.candidate.uuid)")
        }
        for problem in summary.problems { DatabaseVictim.say("problem \(problem)") }
    }

    /// A report that is listed can be read as long as it is there.
    private func listOnce() throws {
        for state in ReportState.allCases {
            for report in try database.reports(state).reports {
                do {
                    guard
                        try database.contents(of: report).array
                            == DatabaseVictim.minidump(of: report.uuid)
                    else {
                        DatabaseVictim.say("problem \(report.path) has other bytes")
                        continue
                    }
                } catch DatabaseError.notFound {
                    continue
                }
            }
        }
    }
}
