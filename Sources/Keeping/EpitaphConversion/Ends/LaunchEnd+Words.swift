// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphExplanation
import EpitaphValues

extension LaunchEnd {
    /// How a process without a crash ended, by launch record and boot id only; nil if unknown.
    package init(of launch: LaunchRecord?, bootID: Epitaph.ID?) {
        if launch?.cleanExitTime != nil {
            self = .cleanly
        } else if let signal = launch?.endSignal {
            self = .signalled(Signal(rawValue: signal))
        } else if let launchBoot = launch?.bootID, let bootID {
            let hasCrashed = launch?.crashBefore != nil
            self = launchBoot != bootID ? .lostToReboot : hasCrashed ? .ofReportedCrash : .killed
        } else {
            self = .unknown
        }
    }

    package var words: String {
        switch self {
        case .crashed: "crashed"
        case .cleanly: "ended well"
        case .signalled(let signal): "was ended by \(signal)"
        case .outOfMemory(isCertain: true): "was ended by the kernel for want of memory"
        case .outOfMemory(isCertain: false):
            "ended without a crash record, probably by the kernel for want of memory"
        case .exec: "became another program by exec"
        case .killed: "ended without a crash record: killed, or by _exit or exec"
        case .ofReportedCrash:
            "ended of the crash that has its own report, or later, by a kill, _exit or exec"
        case .shutdown: "was lost when the machine was shut down, or ended before"
        case .powerLoss:
            "was lost when the machine lost its power or its kernel crashed, or ended before"
        case .lostToReboot: "was lost when the machine was restarted"
        case .unknown: "ended without a crash record"
        }
    }
}
