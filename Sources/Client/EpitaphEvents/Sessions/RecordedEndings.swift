// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem

package struct RecordedEndings: LaunchEndings {
    private let database: ReportDatabase

    /// - Parameter database: read at each call. Has the latest launches only after a sweep.
    package init(_ database: ReportDatabase) {
        self.database = database
    }

    package func ending(of process: ProcessIdentity, bundleID: String) -> LaunchEnding? {
        // One process may be several launches in a row; the newest is first.
        let launches = try? database.launchHistory(of: bundleID)
        return launches?.first { $0.process == process }.map { LaunchEnding($0.end) }
    }
}

extension LaunchEnding {
    init(_ end: LaunchEnd) {
        self =
            switch end {
            case .crashed: .crashed
            // exec is deliberate, so it is a normal end.
            case .cleanly, .exec: .completed
            case .signalled, .outOfMemory, .killed, .shutdown, .powerLoss, .lostToReboot:
                .interrupted
            // It is unknown whether the process recovered from its crash.
            case .ofReportedCrash, .unknown: .unknown
            }
    }
}
