// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphConversion
import EpitaphDatabase
import EpitaphSystem
import EpitaphValues

extension CrashReporter {
    /// The launches not yet reported to this program, the newest first. If another process made a
    /// report without the program's attachments, they are added now.
    ///
    /// - Parameter summary: of this process's sweep. It has the ends of launches even if the
    ///   history could not be written.
    func lastLaunches(
        of summary: SweepSummary
    ) -> (launches: [RecordedLaunch], problems: [String]) {
        let found = summary.entries.filter { $0.bundleID == bundleID }.compactMap(\.launch)
        do throws(DatabaseError) {
            let own = ProcFileSystem().ownIdentity()
            let untold = try withDatabase { (database) throws(DatabaseError) in
                try database.takeUntoldLaunches(of: bundleID, asker: own)
            }
            let problems = untold.filter(\.lacksAttachments).compactMap(\.end.report)
                .flatMap(attachAll)
            // Launches missing from the history are included anyway.
            let rest = summary.keptEveryLaunch ? [] : found.filter { !untold.contains($0) }
            return (newestFirst(untold + rest), problems)
        } catch {
            return (newestFirst(found), ["the launch history cannot be used: \(error)"])
        }
    }

    private func newestFirst(_ launches: [RecordedLaunch]) -> [RecordedLaunch] {
        launches.sorted { $0.lastSign > $1.lastSign }
    }

    private func attachAll(to report: Epitaph.ID) -> [String] {
        let isThere = try? withDatabase { (database) throws(DatabaseError) in
            try database.report(report)
        }
        // The report may have been removed since.
        guard isThere != nil else { return [] }
        return attachments.compactMap { file in
            do throws(AttachmentProblem) {
                try attach(file, to: report)
                return nil
            } catch {
                return error.description
            }
        }
    }

    /// Without launches that `processIntermediateDumps` has not processed yet.
    package func launchHistory() throws(Epitaph.DatabaseError) -> [Epitaph.RecordedLaunch] {
        try withDatabase { (database) throws(DatabaseError) in
            try database.launchHistory(of: bundleID)
        }
    }
}
