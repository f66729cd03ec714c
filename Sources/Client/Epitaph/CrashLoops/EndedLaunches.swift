// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphConversion
import EpitaphDatabase
import EpitaphValues

extension EarlyCrashes {
    /// From the program's ended launches with unswept dumps, and those in the launch history.
    init(
        ofProgram bundleID: String, in databasePath: String, crashDirectory: String?,
        by policy: CrashLoopPolicy
    ) {
        let unswept = DumpSweep.unsweptLaunches(
            of: bundleID, in: databasePath, crashDirectory: crashDirectory,
            except: String(cString: epitaph_armed_file_name()))
        var launches = unswept.map { launch in
            Ended(
                id: launch.id, isCrash: launch.isCrash,
                runSeconds: launch.start.map { launch.lastWritten.seconds(since: $0) })
        }
        // If all of these crashed early, older launches may belong to the row as well.
        if EarlyCrashes(launches, by: policy).count == launches.count {
            let known = Set(launches.map(\.id))
            launches += Self.history(of: bundleID, in: databasePath)
                .filter { !known.contains($0.id) }
        }
        self.init(launches, by: policy)
    }

    private static func history(of bundleID: String, in path: String) -> [Ended] {
        let launches = try? withReportDatabase(at: path) { (database) throws(DatabaseError) in
            try database.launchHistory(of: bundleID)
        }
        return (launches ?? []).filter { !$0.isChild && $0.end != .ofReportedCrash }.map { launch in
            Ended(id: launch.id, isCrash: launch.end.isCrash, runSeconds: launch.runTime?.inSeconds)
        }
    }
}
