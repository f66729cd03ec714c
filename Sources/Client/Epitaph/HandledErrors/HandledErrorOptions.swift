// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphValues

extension Epitaph {
    /// Which handled errors become reports, and what that may cost. Values are clamped.
    public struct HandledErrorOptions: Sendable, Equatable {
        /// Errors reported in a minute, 0 to 1,000, 30 by default; others are counted and dropped.
        public var reportsPerMinute: Int = 30 {
            didSet { reportsPerMinute = min(max(reportsPerMinute, 0), 1_000) }
        }
        /// How long errors of one type from one place are counted together, 1 s to an hour; 60 s by
        /// default. The first is reported at once, the others by one report at the end.
        public var window = Duration.seconds(60) {
            didSet { window = window.clamped(to: .seconds(1) ... .seconds(3_600)) }
        }
        /// How many errors may wait for their report, 1 to 256, 16 by default; up to 64 KiB each.
        public var queueLimit: Int = 16 {
            didSet { queueLimit = min(max(queueLimit, 1), 256) }
        }
        /// How many errors `recent` keeps, 0 to 1,000. The default is 100.
        public var recentLimit: Int = 100 {
            didSet { recentLimit = min(max(recentLimit, 0), 1_000) }
        }
        /// How long `stop` waits for reports in progress, 0 to 30 s. The default is 2 s.
        public var stopTimeout = Duration.seconds(2) {
            didSet { stopTimeout = stopTimeout.clamped(to: .zero ... .seconds(30)) }
        }
        /// The largest size of an attachment, in bytes.
        public var attachmentLimitBytes = AttachmentLimit.defaultBytes
        /// How much is found out about a stack when its report is made. By default only functions:
        /// a running daemon should not read its debug information for every error. Lines are found
        /// when the report is read.
        public var stacks = StacksWhenFiled.functions

        /// Options with the defaults.
        public init() {}
    }

    /// The result for a handled error.
    public enum HandledErrorOutcome: Sendable, Equatable {
        /// The report with this id was filed. `problems` has a sentence for a missing attachment.
        case filed(Epitaph.ID, problems: [String])
        /// An error of the same type from the same place was reported shortly before. This one is
        /// counted, and a report at the end of `HandledErrorOptions.window` gives the count.
        case counted
    }

    /// A file or bytes for the report of one error.
    public enum ErrorAttachment: Sendable, Equatable {
        /// It is copied when the report is made, shortly after the call.
        case file(AttachedFile)
        /// Bytes, and their name in the report.
        case bytes([UInt8], name: String = "attachment.bin")

        /// A text, for example a configuration.
        public static func text(
            _ text: String, name: String = "attachment.txt"
        ) -> ErrorAttachment {
            .bytes(Array(text.utf8), name: name)
        }
    }
}

extension Refusal {
    /// `stop` was called, or its time ran out before this error's turn.
    static let errorReportsStopped = unreported(.notStarted, "error reports were stopped")
    static let errorReportsNotStarted = unreported(.notStarted, notStarted.description)
    static let errorsOfParent = unreported(
        .inForkedChild, "the process is a child of the one that reports errors")

    static func tooManyErrors(perMinute: Int) -> Refusal {
        unreported(.limitReached, "there were \(perMinute) reports within a minute")
    }

    static func errorQueueIsFull(limit: Int) -> Refusal {
        unreported(.limitReached, "\(limit) others wait already")
    }

    /// - Parameter reason: names the file or the call that failed.
    static func errorNotFiled(_ reason: String) -> Refusal { unreported(.file, reason) }

    private static func unreported(_ kind: Kind, _ reason: String) -> Refusal {
        Refusal(kind, "the error is not reported: \(reason)")
    }
}
