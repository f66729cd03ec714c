// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphConversion
import EpitaphDatabase
import EpitaphValues

/// How dumps become reports, and how long reports are kept.
struct ReportOptions: Sendable {
    var attachments: [AttachedFile] = []
    var attachmentLimitBytes = AttachmentLimit.defaultBytes
    var prunePolicy = PrunePolicy.standard
    var stacksWhenFiled = StacksWhenFiled.lines
}

// These options are not part of the capture, so a program can use the capture alone.
extension CrashReporterOptions {
    var reports: ReportOptions {
        get { forReports as? ReportOptions ?? ReportOptions() }
        set { forReports = newValue }
    }

    /// Files attached to every report of this program, for example its log. They are copied when
    /// the dump becomes a report, by the launch after the crash.
    public var attachments: [Epitaph.AttachedFile] {
        get { reports.attachments }
        set { reports.attachments = newValue }
    }

    /// The largest size of an attachment, in bytes. A larger one is left out and reported by
    /// `EarlierCrashes.problems` or `UploadDelegate.didLeaveOut`.
    public var attachmentLimitBytes: Int {
        get { reports.attachmentLimitBytes }
        set { reports.attachmentLimitBytes = newValue }
    }

    /// The number, size and age of reports that stay after `processIntermediateDumps`. The default
    /// is 500 reports, 1,024 megabytes, and 90 days for those that were sent or will not be. A
    /// policy without limits, `PrunePolicy()`, removes no report.
    public var prunePolicy: Epitaph.PrunePolicy {
        get { reports.prunePolicy }
        set { reports.prunePolicy = newValue }
    }

    /// How much is found out about stacks when a dump becomes a report.
    public var stacksWhenFiled: Epitaph.StacksWhenFiled {
        get { reports.stacksWhenFiled }
        set { reports.stacksWhenFiled = newValue }
    }
}

extension CrashReporter {
    var reports: ReportOptions { options.reports }

    var attachments: [AttachedFile] { AttachedFile.namedApart(reports.attachments) }
}

extension Epitaph {
    /// How much is found out about the stacks of a crash when its dump becomes a report, in the
    /// launch after the crash, so that an upgrade before somebody reads the report loses nothing.
    /// All dumps of a call share ten seconds for this; anything unfinished by then is left out.
    public enum StacksWhenFiled: Sendable, CaseIterable {
        /// Functions, inlined calls and lines. libdw reads the debug information if it is installed
        /// (Debian's `libdw1`); without it there are functions only.
        case lines
        /// Functions only, from symbol tables. Epitaph reads them without another library.
        case functions
        /// Nothing: names come from the files that exist when the report is read.
        case nothing

        var effort: StackKeeper.Effort {
            switch self {
            case .lines: .lines
            case .functions: .functions
            case .nothing: .nothing
            }
        }
    }
}
