// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphService
import EpitaphSystem

/// Opens a database repeatedly, and logs each reason for failure once.
struct DatabaseAccess {
    let watched: WatchedDatabase
    private(set) var lastSentence: String?

    private var plan: DatabasePlan { watched.plan }

    /// Nil if it cannot be opened now; try again later.
    mutating func open(ifMissing: ReportDatabase.IfMissing) -> ReportDatabase? {
        do throws(CommandFailure) {
            // A directory found by a pattern may be anything: it is ours only with the contents of
            // a database. A named one is trusted.
            guard plan.isNamed || isDatabase else { return nil }
            let directory = try ReportDatabase.checkedDirectory(plan.path)
            if ifMissing == .create { try share(directory) }
            let database: ReportDatabase?
            switch ifMissing {
            case .create:
                database = try onDatabase(ReportDatabase(in: directory, ifMissing: .create))
            case .fail: database = try ReportDatabase.ifFiled(in: directory)
            }
            if lastSentence != nil {
                watched.record(
                    .databaseProblem, .info, "\(plan.path) can be used again")
                lastSentence = nil
            }
            return database
        } catch {
            complain(error.sentence)
            return nil
        }
    }

    /// Before anything is created. A named empty directory is shared once it is a database.
    private func share(_ directory: Directory) throws(CommandFailure) {
        guard let groupID = plan.readingGroupID, isDatabase else { return }
        let hasChanged = try onDatabase(ReportDatabase.share(directory, withGroup: groupID))
        guard hasChanged else { return }
        watched.record(
            .databaseShared, .notice,
            "group \(plan.options.readingGroup ?? "") may read the reports in \(plan.path)")
    }

    /// Logs a sentence unless it equals the last one.
    mutating func complain(_ sentence: String) {
        guard sentence != lastSentence else { return }
        lastSentence = sentence
        watched.record(.databaseProblem, .error, sentence)
    }

    private var isDatabase: Bool { ReportDatabase.isDatabase(at: plan.path) ?? false }
}
