// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphValues

/// What became of one pending file.
package enum DumpOutcome: Sendable, Equatable {
    /// There is a report now, and the dump is gone.
    case converted(reportID: Epitaph.ID)
    /// A locked file that its owner still needs.
    case stillAlive(OwnerLiveness.Reason)
    /// A dead owner's file without a crash; it was removed.
    case ended(LaunchEnd)
    /// This many dumps of the bundle were removed, or not begun, because its caps were reached. The
    /// file that counted them was removed.
    case dropped(count: Int)
    /// The file stays; the sentence names it and the reason.
    case failed(sentence: String)
    /// It failed too often and is at `path` now.
    case quarantined(path: String, sentence: String)
    /// The pass had reached its limit; a later one takes it.
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

/// The results of a sweep, file by file.
package struct SweepSummary: Sendable, Equatable {
    package struct Entry: Sendable, Equatable {
        /// The file's name when it was listed.
        package let fileName: String
        package internal(set) var outcome: DumpOutcome
        /// Nil for a file that is not a dump.
        package let bundleID: String?
        /// When the file was written last: at the crash, at the clean end, or else at the start.
        package let lastWritten: Timestamp?
        /// For a process that ended without a crash: signals whose crashes would not have been
        /// recorded, if it noted that.
        package let displacedHandlers: [DisplacedHandler]
        /// The evidence for the end of a process without a crash, as a sentence without a full
        /// stop; nil if there is nothing to add.
        package let evidence: String?
        /// The launch that ended, as it is in the history; nil if this is not the end of a launch.
        package internal(set) var launch: RecordedLaunch?

        /// The dump's name without its stage.
        package var dumpName: String { DumpName(fileName)?.stem ?? fileName }
    }

    /// In the order in which the files were looked at. Files that vanished in the meantime are not
    /// included.
    package internal(set) var entries: [Entry] = []
    /// How many files have names that are not UTF-8; they are not ours.
    package internal(set) var undecodableNameCount = 0
    /// Sentences about what could not be stored in the launch history, or attached to a report.
    package internal(set) var lesserProblems: [String] = []
    /// False if ends of launches could not be stored in the history. `lesserProblems` says so, and
    /// the entries have the ends.
    package internal(set) var keptEveryLaunch = true
    /// False if the directory had more files than one pass looks at.
    package internal(set) var isComplete = true

    /// An empty summary.
    package init() {}

    /// Adds the results from another directory.
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

    /// Sentences about failures with dumps that still exist.
    package var problems: [String] {
        entries.compactMap { entry in
            switch entry.outcome {
            case .failed(let sentence): sentence
            case .quarantined(_, let sentence): sentence
            default: nil
            }
        }
    }

    /// How many processes ended without a crash.
    package var endedWithoutCrashCount: Int {
        count { if case .ended = $0 { true } else { false } }
    }
    /// How many dumps were removed or not begun because of the caps.
    package var droppedCount: Int {
        entries.reduce(0) { sum, entry in
            if case .dropped(let count) = entry.outcome { sum + count } else { sum }
        }
    }
    /// How many dumps were beyond the limit of the pass.
    package var waitingCount: Int { count { $0 == .waiting } }
    /// How many dumps other processes are working on.
    package var busyCount: Int { count { $0 == .busy } }
    /// How many files have owners that may still run.
    package var stillAliveCount: Int {
        count { if case .stillAlive = $0 { true } else { false } }
    }

    private func count(_ condition: (DumpOutcome) -> Bool) -> Int {
        entries.count { condition($0.outcome) }
    }
}
