// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// A launch of a program that has ended, as it is kept in the launch history.
    public struct RecordedLaunch: Sendable, Equatable {
        /// The id of the dump file; if the launch crashed, this is the id of the report.
        public var id: Epitaph.ID
        /// As recorded at its start.
        package var process: ProcessIdentity
        /// When Epitaph was started in it; nil if unknown.
        public var start: Timestamp?
        /// How it ended.
        public var end: LaunchEnd
        /// When it was certainly still running: the time of the crash, clean end or signal;
        /// otherwise of its start or of the last write to its file.
        public var lastSign: Timestamp
        /// The evidence, as a sentence without a full stop; nil if there is nothing to add.
        public var evidence: String?
        /// Without a crash: signals whose handlers other code had replaced before the end.
        public var displacedSignals: [Signal] = []
        /// Whether the program called `Epitaph.noteMemoryWarning`.
        public var hadMemoryWarning = false
        /// Whether it was a forked child of a process with Epitaph: its end is not the program's.
        public var isChild = false
        /// The breadcrumb file of the launch, if any: `ReportDatabase.breadcrumbFile(of:)`.
        public var breadcrumbs: Epitaph.ID?
        /// Whether a sweep that did not know the program's attachments made the report.
        public var lacksAttachments = false
        /// Whether it was reported to the program.
        public internal(set) var isTold = false

        /// A launch of `process` that ended with `end`, found in the dump file `id`.
        package init(
            id: Epitaph.ID, process: ProcessIdentity, start: Timestamp?, end: LaunchEnd,
            lastSign: Timestamp,
            evidence: String? = nil
        ) {
            self.id = id
            self.process = process
            self.start = start
            self.end = end
            self.lastSign = lastSign
            self.evidence = evidence
        }

        /// How long it ran after the start of Epitaph; nil if the time of its end is unknown, or if
        /// a clock change would make it negative.
        public var runTime: Duration? {
            guard let start else { return nil }
            switch end {
            case .crashed, .cleanly, .signalled:
                let seconds = lastSign.seconds(since: start)
                return seconds >= 0 ? Duration(clampedSeconds: seconds) : nil
            default: return nil
            }
        }
    }
}

extension RecordedLaunch {
    /// A launch may leave several files: one for each crash it recovered from, and one for its end.
    /// A process may be several launches, one after another.
    func isSameLaunch(as other: RecordedLaunch) -> Bool {
        if id == other.id { return true }
        guard process.processID != 0, process.startTicks != 0, process.bootID != nil, let start,
            let otherStart = other.start
        else { return false }
        return process == other.process
            && start.wholeMicroseconds == otherStart.wholeMicroseconds
    }

    /// Whether `earlier`, whose end is unknown, ended by execve(2): the same process started
    /// Epitaph again, and stopping Epitaph before would have been recorded.
    func followed(_ earlier: RecordedLaunch) -> Bool {
        switch earlier.end {
        case .killed, .outOfMemory(isCertain: false), .lostToReboot, .shutdown, .powerLoss: break
        default: return false
        }
        guard process.processID != 0, process.startTicks != 0, process.bootID != nil,
            process == earlier.process, let start, let earlierStart = earlier.start
        else { return false }
        return start > earlierStart
    }

    /// Combines two files of a launch. The later sign of life is its end.
    func merged(with other: RecordedLaunch) -> RecordedLaunch {
        let (earlier, later) = other.lastSign < lastSign ? (other, self) : (self, other)
        var result = later
        // Anything after the crash is not known to be a different end.
        if case .ofReportedCrash = later.end, earlier.end.isCrash {
            result = earlier
        }
        // A second evaluation of a file may not know the report.
        if id == other.id, result.end == .crashed(report: nil) {
            result.end = .crashed(report: end.report ?? other.end.report)
        }
        result.hadMemoryWarning = hadMemoryWarning || other.hadMemoryWarning
        result.breadcrumbs = result.breadcrumbs ?? breadcrumbs ?? other.breadcrumbs
        result.evidence = result.evidence ?? evidence ?? other.evidence
        result.isTold = isTold && result.end.isSameKind(as: end)
        return result
    }
}
