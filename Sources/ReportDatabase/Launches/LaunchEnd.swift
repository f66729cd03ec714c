// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// How a launch of a program ended. docs/launch-ends.md says what each of them rests on.
public enum LaunchEnd: Sendable, Equatable {
    /// It crashed. `report` is nil where no report could be made of the dump.
    case crashed(report: UUID?)
    /// It stopped Epitaph, returned from main or called exit(3).
    case cleanly
    /// It ended by a signal with the default action that Epitaph was asked to mark: signal(7).
    case signalled(Int32)
    /// The kernel ended it for want of memory. Not certain: another process of its control group
    /// may have been the one.
    case outOfMemory(isCertain: Bool)
    /// The process became another program, execve(2), and runs on, or ran on, as that.
    case exec
    /// It ended in this boot without a mark: SIGKILL, _exit(2), or a signal that Epitaph was not
    /// asked to mark.
    case killed
    /// Its last crash has its own report and was given to a handler of the program's. It ended of
    /// that, or recovered and was killed later: it is unknown which.
    case ofReportedCrash
    /// The machine was shut down or restarted in order.
    case shutdown
    /// The machine lost its power or its kernel crashed: it started again without having been shut
    /// down.
    case powerLoss
    /// The machine was started again meanwhile; how that came is not known. The process may have
    /// ended before that.
    case lostToReboot
    /// The launch record is missing or incomplete, or this boot is not known.
    case unknown
}

extension LaunchEnd {
    /// The report of the crash that was the end.
    public var report: UUID? {
        if case .crashed(let report) = self { report } else { nil }
    }

    /// Whether it is a crash, with or without a report.
    public var isCrash: Bool {
        if case .crashed = self { true } else { false }
    }

    /// Whether the two are the same but for what became known later: the report of a crash.
    func isSameKind(as other: LaunchEnd) -> Bool {
        isCrash ? other.isCrash : self == other
    }
}
