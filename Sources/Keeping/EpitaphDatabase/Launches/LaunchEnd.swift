// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// How a launch of a program ended. docs/launch-ends.md says which evidence each end needs.
    public enum LaunchEnd: Sendable, Equatable {
        /// It crashed. `report` is nil if no report could be made from the dump.
        case crashed(report: Epitaph.ID?)
        /// It stopped Epitaph, returned from main or called exit(3).
        case cleanly
        /// Ended by a signal, signal(7), with the default action, that Epitaph was to mark.
        case signalled(Signal)
        /// The kernel killed it because memory ran out. Unless `isCertain`, it may have been
        /// another process of its control group.
        case outOfMemory(isCertain: Bool)
        /// The process replaced itself by another program, execve(2).
        case exec
        /// Ended since the last boot without a mark: SIGKILL, _exit(2), or an unmarked signal.
        case killed
        /// Its last crash has a report, and was passed on to a handler of the program. It is not
        /// known whether it ended because of that, or recovered and was killed later.
        case ofReportedCrash
        /// The machine was shut down or restarted in an orderly way.
        case shutdown
        /// The machine lost power or its kernel crashed: it started again without a shutdown.
        case powerLoss
        /// The machine was restarted for an unknown reason. The process may have ended before that.
        case lostToReboot
        /// The launch record is missing or incomplete, or the present boot is not known.
        case unknown
    }
}

extension LaunchEnd {
    /// The report of the crash that ended it.
    public var report: Epitaph.ID? {
        if case .crashed(let report) = self { report } else { nil }
    }

    /// Whether it is a crash, with or without a report.
    public var isCrash: Bool {
        if case .crashed = self { true } else { false }
    }

    func isSameKind(as other: LaunchEnd) -> Bool {
        isCrash ? other.isCrash : self == other
    }
}
