// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphMinidump
import EpitaphSystem
import EpitaphValues

/// A core's snapshot becomes a report.
package enum CoreReport {
    package static func describe(
        _ snapshot: inout ProcessSnapshot, _ program: String, time: Timestamp
    ) {
        snapshot.process.snapshotTime = time
        var launch = LaunchRecord()
        launch.bundleID = bundleID(program)
        snapshot.launch = launch
    }

    private static func bundleID(_ program: String) -> String {
        let name = program.isEmpty ? "unknown" : program.lastPathComponent
        return "core."
            + String(name.map { $0.isLetter || $0.isNumber || "._-".contains($0) ? $0 : "-" })
    }

    package static func file(
        _ snapshot: ProcessSnapshot, in database: ReportDatabase
    ) throws(CoreHandlerError) -> Epitaph.ID {
        do throws(DatabaseError) {
            var snapshot = snapshot
            let report = try database.prepareReport()
            snapshot.launch?.uuid = report.uuid
            let filled = snapshot
            let kept = try database.asOwner {
                var snapshot = filled
                // Files that the process names are read with the rights of its user.
                StackKeeper(time: TimeAllowance(.seconds(20))).keep(in: &snapshot)
                return snapshot
            }
            var sink = report.sink
            try rethrowing(
                MinidumpWriter(snapshot: kept, reportID: report.uuid, clientID: nil).write(
                    to: &sink), as: DatabaseError.system)
            try report.finish()
            _ = try? database.prune(.standard)
            return report.uuid
        } catch {
            throw .database(error)
        }
    }
}
