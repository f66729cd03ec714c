// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphValues

extension Epitaph {
    /// How many handled errors become reports, and what they may cost. Values out of range become
    /// the nearest valid value.
    public struct HandledErrorOptions: Sendable, Equatable {
        /// How many errors are reported in one minute, 0 to 1,000; further ones are counted and
        /// dropped. The default is 30.
        public var reportsPerMinute: Int = 30 {
            didSet { reportsPerMinute = min(max(reportsPerMinute, 0), 1_000) }
        }
        /// How long errors of one type from one place are counted together, in seconds, 1 to 3,600.
        /// The first is reported at once, and the others by one report at the end of that time. The
        /// default is 60.
        public var windowSeconds: Double = 60 {
            // NaN becomes the shortest time.
            didSet { windowSeconds = windowSeconds >= 1 ? min(windowSeconds, 3_600) : 1 }
        }
        /// How many errors may wait for their report, 1 to 256, with up to 64 KiB of memory each.
        /// The default is 16.
        public var queueLimit: Int = 16 {
            didSet { queueLimit = min(max(queueLimit, 1), 256) }
        }
        /// How many errors `recent` keeps, 0 to 1,000. The default is 100.
        public var recentLimit: Int = 100 {
            didSet { recentLimit = min(max(recentLimit, 0), 1_000) }
        }
        /// How long `stop` waits for reports in progress, in seconds, 0 to 30. The default is 2.
        public var stopTimeoutSeconds: Double = 2 {
            didSet {
                stopTimeoutSeconds = stopTimeoutSeconds >= 0 ? min(stopTimeoutSeconds, 30) : 0
            }
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
}

extension Epitaph {
    /// The result for a handled error.
    public enum HandledErrorOutcome: Sendable, Equatable {
        /// The report with this id was filed. `problems` has a sentence for each missing
        /// attachment.
        case filed(Epitaph.ID, problems: [String])
        /// An error of the same type from the same place was reported shortly before. This one is
        /// counted, and a report at the end of `HandledErrorOptions.windowSeconds` gives the count.
        case counted
    }
}

extension Epitaph {
    /// Why a handled error is not in a report.
    public enum HandledErrorFailure: Error, Sendable, Equatable, CustomStringConvertible {
        /// Epitaph is not started.
        case notStarted
        /// `stop` was called, or its time ran out before this error's turn.
        case stopped
        /// The process is a child of fork(2), in which errors are not reported.
        case inForkedChild
        /// The limit of reports in one minute was reached.
        case tooMany(perMinute: Int)
        /// The limit of waiting errors was reached.
        case queueIsFull(limit: Int)
        /// A sentence that names the file or the call that failed.
        case notFiled(String)

        /// One sentence without a full stop.
        public var description: String {
            switch self {
            case .notStarted: "the error is not reported: Epitaph has not been started"
            case .stopped: "the error is not reported: error reports were stopped"
            case .inForkedChild:
                "the error is not reported: the process is a child of the one that reports errors"
            case .tooMany(let perMinute):
                "the error is not reported: there were \(perMinute) reports within a minute"
            case .queueIsFull(let limit): "the error is not reported: \(limit) others wait already"
            case .notFiled(let sentence): "the error is not reported: \(sentence)"
            }
        }
    }
}

extension Epitaph {
    /// A file or bytes for the report of one error.
    public enum ErrorAttachment: Sendable, Equatable {
        /// It is copied when the report is made, shortly after the call.
        case file(AttachedFile)
        /// Bytes, and their name in the report.
        case bytes([UInt8], name: String)

        /// A text, for example a configuration.
        public static func text(_ text: String, name: String) -> ErrorAttachment {
            .bytes(Array(text.utf8), name: name)
        }
    }
}
