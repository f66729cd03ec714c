// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What became of one report in one pass.
public enum UploadResult: Sendable, Equatable {
    /// The server took it; its name for the report, which may be empty.
    case sent(serverID: String)
    /// An attempt was made and did not succeed. The report stays in the queue.
    case failed(UploadFailure)
    /// No attempt was made. The report stays in the queue.
    case skipped(SkipReason)
}

/// Why an attempt did not succeed.
public enum UploadFailure: Sendable, Equatable {
    /// There is no answer.
    case transport(TransportError)
    /// The server answered something else than a success.
    case refused(UploadResponse)
    /// The server took the report, but the queue could not be told: the next pass may send it
    /// again.
    case notFiled(serverID: String, QueueError)
    /// The queue would not let the attempt begin.
    case queue(QueueError)
}

/// Why no attempt was made.
public enum SkipReason: Sendable, Equatable {
    case uploadsDisabled
    /// Another process is sending it, or it left the queue meanwhile.
    case taken
    /// An earlier report of this pass showed that nothing can be sent now.
    case serverUnavailable
    /// The caller wanted to stop.
    case stopped
}

/// One pass over the queue.
public struct UploadSummary: Sendable, Equatable {
    /// In the order of the queue.
    public var reports: [Entry] = []
    /// What looks like a report and cannot be used, as sentences that name the files.
    public var problems: [String] = []

    public struct Entry: Sendable, Equatable {
        public var uuid: UUID
        public var result: UploadResult
    }

    public var sentCount: Int {
        reports.count { if case .sent = $0.result { true } else { false } }
    }

    public var failedCount: Int {
        reports.count { if case .failed = $0.result { true } else { false } }
    }

    public var skippedCount: Int { reports.count - sentCount - failedCount }
}

extension UploadResult: CustomStringConvertible {
    public var description: String {
        switch self {
        case .sent(let serverID):
            "sent" + (serverID.isEmpty ? "" : ", the server calls it \(serverID.oneLine())")
        case .failed(let failure): "not sent: \(failure)"
        case .skipped(let reason): "left pending: \(reason)"
        }
    }
}

extension UploadFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .transport(let error):
            error.description
        case .refused(let response):
            "the server answered \(response.status)"
                + (response.words.isEmpty ? "" : " and said: \(response.words)")
        case .notFiled(let serverID, let error):
            "the server took it" + (serverID.isEmpty ? "" : " as \(serverID.oneLine())")
                + ", but it could not be filed as sent and may be sent again: \(error)"
        case .queue(let error):
            error.description
        }
    }
}

extension SkipReason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .uploadsDisabled: "uploads are disabled and nobody asked for this report"
        case .taken: "another process has it"
        case .serverUnavailable: "an earlier report showed that the server cannot be reached"
        case .stopped: "the uploader was stopped"
        }
    }
}

extension UploadSummary: CustomStringConvertible {
    /// For example `3 sent, 1 failed, 2 left pending`; `, 1 unusable` when there are problems.
    public var description: String {
        let unusable = problems.isEmpty ? "" : ", \(problems.count) unusable"
        guard !reports.isEmpty else { return "no report is pending" + unusable }
        return "\(sentCount) sent, \(failedCount) failed, \(skippedCount) left pending"
            + unusable
    }
}
