// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphValues

/// The outcome for one pending file.
package enum DumpOutcome: Sendable, Equatable {
    case converted(reportID: Epitaph.ID)
    case stillAlive(OwnerLiveness.Reason)
    /// A dead owner's file without a crash; removed.
    case ended(LaunchEnd)
    /// So many dumps of the bundle were removed or not begun because of its caps.
    case dropped(count: Int)
    case failed(sentence: String)
    case quarantined(path: String, sentence: String)
    case waiting
    case busy
    case notADump
}

extension DumpOutcome {
    var isUnfinished: Bool {
        switch self {
        case .waiting, .busy, .failed: true
        default: false
        }
    }
}

package struct SweepSummary: Sendable, Equatable {
    package struct Entry: Sendable, Equatable {
        /// When listed.
        package let fileName: String
        package internal(set) var outcome: DumpOutcome
        /// Nil for a file that is not a dump.
        package let bundleID: String?
        /// The time of the crash, the clean end, or else the start.
        package let lastWritten: Timestamp?
        /// Without a crash: signals whose crashes would not have been recorded, if it noted that.
        package let displacedHandlers: [DisplacedHandler]
        /// The evidence for an end without a crash, without a full stop; nil if there is none.
        package let evidence: String?
        /// The launch as in the history; nil if this is not the end of a launch.
        package internal(set) var launch: RecordedLaunch?

        package var dumpName: String { DumpName(fileName)?.stem ?? fileName }
    }

    package internal(set) var entries: [Entry] = []
    package internal(set) var undecodableNameCount = 0
    /// Sentences about failures to store launches or to attach files.
    package internal(set) var lesserProblems: [String] = []
    /// False if ends could not be stored in the history; the entries have them.
    package internal(set) var keptEveryLaunch = true
    /// False if the directory had more files than one pass examines.
    package internal(set) var isComplete = true

    package init() {}

    mutating func add(_ other: SweepSummary) {
        entries += other.entries
        undecodableNameCount += other.undecodableNameCount
        lesserProblems += other.lesserProblems
        keptEveryLaunch = keptEveryLaunch && other.keptEveryLaunch
        isComplete = isComplete && other.isComplete
    }

    package var reportIDs: [Epitaph.ID] {
        entries.compactMap { if case .converted(let id) = $0.outcome { id } else { nil } }
    }

    package var problems: [String] {
        entries.compactMap { entry in
            switch entry.outcome {
            case .failed(let sentence): sentence
            case .quarantined(_, let sentence): sentence
            default: nil
            }
        }
    }

    package var droppedCount: Int {
        entries.reduce(0) { sum, entry in
            if case .dropped(let count) = entry.outcome { sum + count } else { sum }
        }
    }
    package var waitingCount: Int { entries.count { $0.outcome == .waiting } }
    package var busyCount: Int { entries.count { $0.outcome == .busy } }
}
