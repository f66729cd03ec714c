// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReportDatabase

/// How launches ended, by the history that a crash report database keeps of them.
public struct RecordedEndings: LaunchEndings {
    private let database: ReportDatabase

    /// - Parameter database: asked anew each time. Its sweep has to run before, for the history to
    ///   have the latest launches.
    public init(_ database: ReportDatabase) {
        self.database = database
    }

    /// Nil also where the history cannot be read: it may be another time.
    public func ending(of process: ProcessIdentity, bundleID: String) -> LaunchEnding? {
        // One process may be several launches, one after another; the newest is first.
        let launches = try? database.launchHistory(of: bundleID)
        return launches?.first { $0.process == process }.map { LaunchEnding($0.end) }
    }
}

extension LaunchEnding {
    init(_ end: LaunchEnd) {
        self =
            switch end {
            case .crashed: .crashed
            // It became another program because it meant to.
            case .cleanly, .exec: .completed
            case .signalled, .outOfMemory, .killed, .shutdown, .powerLoss, .lostToReboot:
                .interrupted
            // Whether it recovered from its crash is not known.
            case .ofReportedCrash, .unknown: .unknown
            }
    }
}
