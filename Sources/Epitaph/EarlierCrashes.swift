// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import DumpConversion
import FoundationEssentials
import ReportDatabase

/// What earlier launches left behind.
public struct EarlierCrashes: Sendable {
    /// The reports that were made of their dumps.
    public let convertedReports: [UUID]
    /// Sentences about dumps that could not be converted; the dumps are still there.
    public let problems: [String]
    /// Dumps left for another pass.
    public let waitingCount: Int
}

extension CrashReporter {
    /// Turns the dumps that earlier launches, and other programs with the same database, left
    /// behind into reports. Blocks; at most 20 dumps a call, this program's own first.
    ///
    /// - Throws: `DatabaseError` when the database cannot be used at all. One bad dump stops no
    ///   other.
    @discardableResult
    public func processIntermediateDumps() throws(DatabaseError) -> EarlierCrashes {
        let summary = try sweep(limit: .conversions(20))
        return EarlierCrashes(
            convertedReports: summary.reportIDs, problems: summary.problems,
            waitingCount: summary.waitingCount)
    }

    func sweep(limit: DumpSweep.Limit) throws(DatabaseError) -> SweepSummary {
        let database = try ReportDatabase(opening: databasePath, ifMissing: .create)
        var options = DumpSweep.Options()
        options.ownBundleID = bundleID
        options.ownFiles = [String(cString: epitaph_armed_file_name())]
        options.limit = limit
        return try DumpSweep(database).run(options)
    }
}
