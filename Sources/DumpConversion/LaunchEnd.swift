// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Snapshot

/// How a process ended that left no crash.
public enum LaunchEnd: Sendable, Equatable {
    /// It stopped Epitaph or called exit(3).
    case cleanly
    /// It ended in this boot without a record: SIGKILL, the kernel out of memory, another signal
    /// that is not handled, _exit(2) or execve(2).
    case killed
    /// Its last crash has its own report and was given to a handler of the program's. It ended of
    /// that, or recovered and was killed later: it is unknown which.
    case ofReportedCrash
    /// The machine was restarted, or lost its power, before anyone looked. The process may have
    /// been killed before that.
    case lostToReboot
    /// The launch record is missing or incomplete, or this boot is not known.
    case unknown

    /// How the process of a launch record ended, if it left no crash.
    ///
    /// - Parameters:
    ///   - launch: the process's launch record; nil if there is none.
    ///   - bootID: of this boot; nil if unknown.
    public init(of launch: LaunchRecord?, bootID: UUID?) {
        if launch?.cleanExitTime != nil {
            self = .cleanly
        } else if let launchBoot = launch?.bootID, let bootID {
            let hasCrashed = launch?.crashBefore != nil
            self = launchBoot != bootID ? .lostToReboot : hasCrashed ? .ofReportedCrash : .killed
        } else {
            self = .unknown
        }
    }

    /// Continues "the process ".
    public var words: String {
        switch self {
        case .cleanly: "ended well"
        case .killed: "ended without a crash record: killed, or by _exit or exec"
        case .ofReportedCrash:
            "ended of the crash that has its own report, or later, by a kill, _exit or exec"
        case .lostToReboot: "was lost when the machine was restarted"
        case .unknown: "ended without a crash record"
        }
    }
}
