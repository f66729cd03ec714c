// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import DumpConversion

extension EarlyCrashes {
    /// Counts the launches of a program that have ended before now.
    init(ofProgram bundleID: String, in databasePath: String, by policy: CrashLoopPolicy) {
        let unswept = DumpSweep.unsweptLaunches(
            of: bundleID, in: databasePath, except: String(cString: epitaph_armed_file_name()))
        self.init(
            unswept.map { launch in
                Ended(
                    id: launch.id, isCrash: launch.isCrash,
                    runSeconds: launch.start.map { launch.lastWritten.timeIntervalSince($0) })
            }, by: policy)
    }
}
