// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Where the reports come from, and where it is written down what became of them.
///
/// The order of calls is `beginAttempt`, the network, then `complete` or `leave`. A process that
/// dies in between leaves the report pending with its attempt counted.
public protocol UploadQueue {
    /// What `beginAttempt` hands out: as long as it lives no other process takes the same report.
    associatedtype Attempt

    func settings() throws(QueueError) -> UploadSettings

    func pendingReports() throws(QueueError) -> PendingReports

    /// Takes the report for this process and records the attempt on disk, before a byte is sent.
    ///
    /// - Returns: nil when another process has the report or it is no longer pending.
    func beginAttempt(on report: PendingReport) throws(QueueError) -> Attempt?

    /// The server took the report: it moves out of the queue, with the server's name for it.
    func complete(_ attempt: Attempt, serverID: String) throws(QueueError)

    /// The report did not arrive: it stays in the queue.
    func leave(_ attempt: Attempt)
}

/// The operator's choice, and who this installation is.
public struct UploadSettings: Sendable, Equatable {
    public var uploadsEnabled: Bool
    public var clientID: UUID

    public init(uploadsEnabled: Bool, clientID: UUID) {
        self.uploadsEnabled = uploadsEnabled
        self.clientID = clientID
    }
}

/// What waits in the queue.
public struct PendingReports: Sendable, Equatable {
    /// Oldest first.
    public var reports: [PendingReport]
    /// What looks like a report and cannot be used, as sentences that name the files.
    public var problems: [String]

    public init(_ reports: [PendingReport] = [], problems: [String] = []) {
        self.reports = reports
        self.problems = problems
    }
}

/// A report that waits to be sent.
public struct PendingReport: Sendable, Equatable {
    public var uuid: UUID
    public var minidumpPath: String
    /// Someone asked for this very report to be sent: that counts even when uploads are disabled.
    public var isExplicitlyRequested: Bool

    public init(uuid: UUID, minidumpPath: String, isExplicitlyRequested: Bool = false) {
        self.uuid = uuid
        self.minidumpPath = minidumpPath
        self.isExplicitlyRequested = isExplicitlyRequested
    }
}

/// The queue could not be read or changed.
public struct QueueError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A sentence that names the place and the cause.
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}
