// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphValues

/// What became of one file among the waiting dumps.
package enum DumpOutcome: Sendable, Equatable {
    /// There is a report now, and the dump is gone.
    case converted(reportID: Epitaph.ID)
    /// A locked file that its owner still needs.
    case stillAlive(OwnerLiveness.Reason)
    /// A dead owner's file without a crash in it; removed.
    case ended(LaunchEnd)
    /// This many dumps of the bundle were removed, or not begun, because its caps were reached; the
    /// file that counted them is gone.
    case dropped(count: Int)
    /// It stays; the sentence names the file and the reason.
    case failed(sentence: String)
    /// It failed too often and is at `path` now.
    case quarantined(path: String, sentence: String)
    /// The pass had reached its limit; a later one will take it.
    case waiting
    /// Another process is working on it; a later pass will find it if it is still there.
    case busy
    /// Not the name of a dump; left alone.
    case notADump
}

extension DumpOutcome {
    /// Whether a later pass will look at the file again.
    var isUnfinished: Bool {
        switch self {
        case .waiting, .busy, .failed: true
        default: false
        }
    }
}

/// What a sweep did, file by file.
package struct SweepSummary: Sendable, Equatable {
    /// A file and what became of it.
    package struct Entry: Sendable, Equatable {
        /// The file's name when it was listed.
        package let fileName: String
        /// What became of the file.
        package internal(set) var outcome: DumpOutcome
        /// Nil for a file that is not a dump.
        package let bundleID: String?
        /// When the file was written last: at the crash, at the clean end, or else at the start.
        package let lastWritten: Timestamp?
        /// For a process that ended without a crash: signals whose crashes would not have been
        /// recorded, if it noted that.
        package let displacedHandlers: [DisplacedHandler]
        /// What the end of a process without a crash rests on, as a sentence without a full stop;
        /// nil where there is nothing to add.
        package let evidence: String?
        /// The launch whose end this is, as the history has it; nil for what is no end of one.
        package internal(set) var launch: RecordedLaunch?

        /// The dump's name without its stage.
        package var dumpName: String { DumpName(fileName)?.stem ?? fileName }
    }

    /// In the order the files were looked at. Files that vanished meanwhile are not in it.
    package internal(set) var entries: [Entry] = []
    /// Files whose names are not UTF-8: none of ours.
    package internal(set) var undecodableNameCount = 0
    /// Sentences about what could not be kept in the launch history, or attached to a report.
    package internal(set) var lesserProblems: [String] = []
    /// False when ends of launches could not be kept in the history, which `lesserProblems` says:
    /// the entries have them.
    package internal(set) var keptEveryLaunch = true
    /// False when the directory held more files than one pass looks at.
    package internal(set) var isComplete = true

    /// An empty summary.
    package init() {}

    /// What was done in another directory.
    mutating func add(_ other: SweepSummary) {
        entries += other.entries
        undecodableNameCount += other.undecodableNameCount
        lesserProblems += other.lesserProblems
        keptEveryLaunch = keptEveryLaunch && other.keptEveryLaunch
        isComplete = isComplete && other.isComplete
    }

    /// The ids of the reports that were made.
    package var reportIDs: [Epitaph.ID] {
        entries.compactMap { if case .converted(let id) = $0.outcome { id } else { nil } }
    }

    /// Sentences about what did not work with dumps that are still there.
    package var problems: [String] {
        entries.compactMap { entry in
            switch entry.outcome {
            case .failed(let sentence): sentence
            case .quarantined(_, let sentence): sentence
            default: nil
            }
        }
    }

    /// Processes that ended without a crash.
    package var endedWithoutCrashCount: Int {
        count { if case .ended = $0 { true } else { false } }
    }
    /// Dumps that were removed or not begun because of the caps.
    package var droppedCount: Int {
        entries.reduce(0) { sum, entry in
            if case .dropped(let count) = entry.outcome { sum + count } else { sum }
        }
    }
    /// Dumps beyond the limit of the pass.
    package var waitingCount: Int { count { $0 == .waiting } }
    /// Dumps that other processes are working on.
    package var busyCount: Int { count { $0 == .busy } }
    /// Files whose owner may still run.
    package var stillAliveCount: Int {
        count { if case .stillAlive = $0 { true } else { false } }
    }

    private func count(_ condition: (DumpOutcome) -> Bool) -> Int {
        entries.count { condition($0.outcome) }
    }
}
