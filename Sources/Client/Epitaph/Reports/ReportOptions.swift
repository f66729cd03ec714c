// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphConversion
import EpitaphDatabase
import EpitaphValues

/// How dumps become reports, and how long those stay.
struct ReportOptions: Sendable {
    var attachments: [AttachedFile] = []
    var attachmentLimitBytes = AttachmentLimit.defaultBytes
    var prunePolicy = PrunePolicy.standard
    var stacksWhenFiled = StacksWhenFiled.lines
}

// The capture does not know of them, so that a program can have it without the rest.
extension CrashReporterOptions {
    var reports: ReportOptions {
        get { forReports as? ReportOptions ?? ReportOptions() }
        set { forReports = newValue }
    }

    /// Files that go with every report of this program, for example its log. They are copied when
    /// the dump becomes a report, by the launch after the crash.
    public var attachments: [Epitaph.AttachedFile] {
        get { reports.attachments }
        set { reports.attachments = newValue }
    }

    /// The most one attachment may hold, bytes; a larger one is left out, which
    /// `EarlierCrashes.problems` or `UploadDelegate.didLeaveOut` reports.
    public var attachmentLimitBytes: Int {
        get { reports.attachmentLimitBytes }
        set { reports.attachmentLimitBytes = newValue }
    }

    /// How many reports stay after `processIntermediateDumps`, how much room they take and how old
    /// they get: 500, 1,024 megabytes, and 90 days for those that were sent or will not be. A
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
    /// launch after it, so that the report loses nothing by an upgrade before it is read. All dumps
    /// of a call together may take ten seconds of that; what is not done by then is left out.
    public enum StacksWhenFiled: Sendable, CaseIterable {
        /// Functions, inlined calls and lines. libdw reads the debug information, where it is
        /// installed (Debian's `libdw1`); without it, functions alone.
        case lines
        /// Functions, from symbol tables, which no library but Epitaph reads.
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
