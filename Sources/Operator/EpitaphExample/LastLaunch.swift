// SPDX-License-Identifier: Apache-2.0

import Epitaph

/// Reports how the previous launch ended, unless it ended well.
enum LastLaunch {
    private static let breadcrumbCount = 5

    static func tell() {
        guard let session = Epitaph.lastSession(waiting: .seconds(60)),
            let run = session.run
        else { return }
        switch run.end {
        case .cleanly: return
        case .crashed: tell(of: session.crash)
        default:
            say("the last launch \(run)")
            tellBreadcrumbs(of: run)
        }
        if run.hadMemoryWarning { say("  memory was scarce in it") }
    }

    private static func tell(of crash: CrashSummary?) {
        guard let crash else { return say("the last launch crashed, and there is no report of it") }
        say("the last launch crashed: report \(crash.report.description)")
        for line in crash.lines { say("  \(line)") }
    }

    /// The last notes of a killed launch, from the breadcrumb file.
    private static func tellBreadcrumbs(of run: EarlierLaunch) {
        let found = try? Epitaph.reporter?.breadcrumbs(of: run)
        for note in found?.notes.suffix(breadcrumbCount) ?? [] {
            say("  before that: \(note.message)")
        }
    }
}
