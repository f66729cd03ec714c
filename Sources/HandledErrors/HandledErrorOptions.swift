// SPDX-License-Identifier: Apache-2.0

import DumpConversion
import FoundationEssentials
import ReportDatabase

/// How many handled errors become reports, and what they may cost. Values out of range become the
/// nearest one within.
public struct HandledErrorOptions: Sendable, Equatable {
    /// Reports of handled errors in a minute, 0 to 1,000; more are counted and dropped. 30 unless
    /// set.
    public var reportsPerMinute: Int = 30 {
        didSet { reportsPerMinute = min(max(reportsPerMinute, 0), 1_000) }
    }
    /// How long errors of one type from one place count as one, seconds, 1 to 3,600: the first is
    /// reported at once, and those after it by one report at the end of that time. 60 unless set.
    public var windowSeconds: Double = 60 {
        // Not a number becomes the shortest.
        didSet { windowSeconds = windowSeconds >= 1 ? min(windowSeconds, 3_600) : 1 }
    }
    /// How many errors may wait to become reports, 1 to 256, up to 64 KiB of memory each. 16 unless
    /// set.
    public var queueLimit: Int = 16 {
        didSet { queueLimit = min(max(queueLimit, 1), 256) }
    }
    /// How many errors are kept for `recent`, 0 to 1,000. 100 unless set.
    public var recentLimit: Int = 100 {
        didSet { recentLimit = min(max(recentLimit, 0), 1_000) }
    }
    /// How long `stop` waits for reports that are being made, seconds, 0 to 30. 2 unless set.
    public var stopTimeoutSeconds: Double = 2 {
        didSet { stopTimeoutSeconds = stopTimeoutSeconds >= 0 ? min(stopTimeoutSeconds, 30) : 0 }
    }
    /// The most one attachment may hold, bytes.
    public var attachmentLimitBytes = AttachmentLimit.defaultBytes
    /// How much is found out about a stack when its report is made. Functions alone unless set: a
    /// daemon that goes on should not read its debug information for every error. Lines are found
    /// when the report is read.
    public var stacks = StackKeeper.Effort.functions

    /// The defaults.
    public init() {}
}

/// What becomes of a handled error.
public enum HandledErrorOutcome: Sendable, Equatable {
    /// It is a report of this id. `problems` are sentences about attachments that it goes without.
    case filed(UUID, problems: [String])
    /// One of the same type from the same place was reported a short time ago: it is counted, and a
    /// report at the end of `HandledErrorOptions.windowSeconds` says how many there were.
    case counted
}

/// Why a handled error is not in a report.
public enum HandledErrorFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// Epitaph is not started.
    case notStarted
    /// `stop` was called, or its time was over before this one's turn came.
    case stopped
    /// The process is a child of fork(2): its errors are not its parent's.
    case inForkedChild
    /// There were as many reports as may be within the last minute.
    case tooMany(perMinute: Int)
    /// As many errors wait as may.
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

/// A file or bytes that go with the report of one error.
public enum ErrorAttachment: Sendable, Equatable {
    /// Copied when the report is made, shortly after the call.
    case file(AttachedFile)
    /// Bytes that the program has, and what they are called in the report.
    case bytes([UInt8], name: String)

    /// A text, for example a configuration.
    public static func text(_ text: String, name: String) -> ErrorAttachment {
        .bytes(Array(text.utf8), name: name)
    }
}
