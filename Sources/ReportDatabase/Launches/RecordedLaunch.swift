// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LinuxSystem

/// One launch of a program that has ended, as the launch history keeps it.
public struct RecordedLaunch: Sendable, Equatable {
    /// The id of the dump file the end was found in; that of the report if it crashed.
    public var id: UUID
    /// The process, as far as its launch record says.
    public var process: ProcessIdentity
    /// When Epitaph was started in it; nil if unknown.
    public var start: Date?
    /// How it ended.
    public var end: LaunchEnd
    /// When it was certainly still there: the time of the crash, of the clean end or of the signal,
    /// otherwise when it started or wrote its file last.
    public var lastSign: Date
    /// What the end rests on, as a sentence without a full stop; nil where nothing is to be added.
    public var evidence: String?
    /// Of a launch that left no crash: signals whose handlers other code had replaced by its end.
    public var displacedSignals: [Int32] = []
    /// Whether the program was told that memory is short, `CrashReporter.noteMemoryWarning`.
    public var hadMemoryWarning = false
    /// Whether it was a forked child of the process that started Epitaph: its end is not that of
    /// the program.
    public var isChild = false
    /// The breadcrumb file of the launch, if it had one: `ReportDatabase.breadcrumbFile(of:)`.
    public var breadcrumbs: UUID?
    /// Whether its report was made by a sweep that did not know which files the program wants
    /// attached.
    public var lacksAttachments = false
    /// Whether the program has been told of it.
    public internal(set) var isTold = false

    /// A launch of `process` that ended by `end`, found in the dump file `id`.
    public init(
        id: UUID, process: ProcessIdentity, start: Date?, end: LaunchEnd, lastSign: Date,
        evidence: String? = nil
    ) {
        self.id = id
        self.process = process
        self.start = start
        self.end = end
        self.lastSign = lastSign
        self.evidence = evidence
    }

    /// How long it ran from the start of Epitaph, seconds; nil where the time of the end is not
    /// known, or a clock that was set makes it negative.
    public var runSeconds: Double? {
        guard let start else { return nil }
        switch end {
        case .crashed, .cleanly, .signalled:
            let seconds = lastSign.timeIntervalSince(start)
            return seconds >= 0 ? seconds : nil
        default: return nil
        }
    }
}

extension RecordedLaunch {
    /// Whether both are about one launch. It may leave several files: one for each crash that it
    /// recovered from, and one for its end. One process may be several launches, one after another.
    func isSameLaunch(as other: RecordedLaunch) -> Bool {
        if id == other.id { return true }
        guard process.processID != 0, process.startTicks != 0, process.bootID != nil, let start,
            let otherStart = other.start
        else { return false }
        return process == other.process
            && start.wholeMicroseconds == otherStart.wholeMicroseconds
    }

    /// Whether this launch shows that `earlier`, of whose end nothing was known, ended by execve(2):
    /// the process is the same, and started Epitaph again. One that stopped it says so.
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

    /// This one with what is known of it by another file. The later sign of life is the end.
    func merged(with other: RecordedLaunch) -> RecordedLaunch {
        let (earlier, later) = other.lastSign < lastSign ? (other, self) : (self, other)
        var result = later
        // What came after the crash is not known to be another end.
        if case .ofReportedCrash = later.end, earlier.end.isCrash {
            result = earlier
        }
        // A file that was looked at again says the same, but may know less of the report.
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
