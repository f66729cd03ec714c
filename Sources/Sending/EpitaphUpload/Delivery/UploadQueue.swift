// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphValues

/// Where the reports come from, and where their results are recorded.
///
/// The order of calls is `beginAttempt`, the network, then `complete`, `leave` or `withdraw`. If a
/// process dies in between, the report stays pending with its attempt counted.
///
/// A queue is a view of a report database, so it fails with the database's own errors.
/// docs/decisions/code.md
package protocol UploadQueue {
    /// Returned by `beginAttempt`: as long as it lives no other process takes the same report.
    associatedtype Attempt

    /// The operator's choice and this installation's id, as they are now.
    func settings() throws(DatabaseError) -> UploadSettings

    /// The user answered "always".
    func enableUploads() throws(DatabaseError)

    /// The pending reports, oldest first; those that cannot be read are in `problems`.
    func pendingReports() throws(DatabaseError) -> PendingReports

    /// The report's minidump, open: the same file is examined and sent.
    func minidump(of report: PendingReport) throws(DatabaseError) -> FileDescriptor

    /// The files that go with a report, open.
    func attachments(of report: PendingReport) throws(DatabaseError) -> [OutgoingAttachment]

    /// Takes the report for this process and records the attempt on disk before a byte is sent.
    func beginAttempt(on report: PendingReport) throws(DatabaseError) -> AttemptStart<Attempt>

    /// As `beginAttempt` for several reports: all are recorded before any is sent. In their order.
    func beginAttempts(
        on reports: [PendingReport]
    ) -> [Result<AttemptStart<Attempt>, DatabaseError>]

    /// Begins the work of `beginAttempts`. The returned function waits for its end and is called
    /// once. In the meantime other reports may be read, sent and completed.
    func attemptsAhead(
        on reports: [PendingReport]
    ) -> () -> [Result<AttemptStart<Attempt>, DatabaseError>]

    /// As `complete` for several reports, in their order.
    func complete(_ successes: [(attempt: Attempt, serverID: String)]) -> [Filing]

    /// Begins the work of `complete` for several reports. The returned function waits for its end
    /// and is called once before the next one begins. In the meantime other reports may be begun,
    /// read and sent.
    func beginCompleting(
        _ successes: [(attempt: Attempt, serverID: String)]
    ) -> () -> [Filing]

    /// As `withdraw` for several: in their order, why an attempt still counts.
    func withdraw(_ attempts: [Attempt]) -> [DatabaseError?]

    /// The server accepted the report: it leaves the queue, and the server's name for it is stored.
    /// May be called again with an attempt for which it returned `.open`.
    func complete(_ attempt: Attempt, serverID: String) -> Filing

    /// The report did not arrive: it stays in the queue with its new state.
    ///
    /// - Parameters:
    ///   - attempt: from `beginAttempt`.
    ///   - state: replaces the stored state of the delivery.
    ///   - isRequestSettled: whether a person's request for it has had its try.
    func leave(
        _ attempt: Attempt, _ state: DeliveryState, isRequestSettled: Bool
    ) throws(DatabaseError)

    /// Nothing was sent: the attempt does not count.
    func withdraw(_ attempt: Attempt) throws(DatabaseError)

    /// Stores the user's answer; a report that is not to be sent leaves the queue.
    func record(_ consent: DeliveryState.Consent, of report: PendingReport) throws(DatabaseError)

    /// Until when a server wants no requests; nil if it did not say.
    func pauseEnd(of server: String) throws(DatabaseError) -> Timestamp?

    /// Stores that a server wants no requests, from this or any other process.
    func pause(_ server: String, until end: Timestamp) throws(DatabaseError)

    /// What is known about a destination that failed; nil for any other.
    ///
    /// - Parameter destination: its name, which does not contain its key.
    func standing(of destination: String) throws(DatabaseError) -> DestinationStanding?

    /// Stores it for this and every other process.
    func record(_ standing: DestinationStanding, of destination: String) throws(DatabaseError)
}

/// One by one, for queues that have no quicker way.
extension UploadQueue {
    /// Calls `beginAttempt` for each report.
    public func beginAttempts(
        on reports: [Epitaph.PendingReport]
    ) -> [Result<AttemptStart<Attempt>, Epitaph.DatabaseError>] {
        reports.map { report in
            Result { () throws(DatabaseError) in try beginAttempt(on: report) }
        }
    }

    /// Calls `beginAttempts` at once; the returned function only returns the result.
    public func attemptsAhead(
        on reports: [Epitaph.PendingReport]
    ) -> () -> [Result<AttemptStart<Attempt>, Epitaph.DatabaseError>] {
        let starts = beginAttempts(on: reports)
        return { starts }
    }

    /// Calls `complete` for each attempt.
    public func complete(_ successes: [(attempt: Attempt, serverID: String)]) -> [Epitaph.Filing] {
        successes.map { complete($0.attempt, serverID: $0.serverID) }
    }

    /// Calls `complete` at once; the returned function only returns the result.
    public func beginCompleting(
        _ successes: [(attempt: Attempt, serverID: String)]
    ) -> () -> [Epitaph.Filing] {
        let filings = complete(successes)
        return { filings }
    }

    /// Calls `withdraw` for each attempt.
    public func withdraw(_ attempts: [Attempt]) -> [Epitaph.DatabaseError?] {
        attempts.map { attempt in
            do throws(DatabaseError) {
                try withdraw(attempt)
                return nil
            } catch {
                return error
            }
        }
    }
}

/// The result of trying to begin an attempt.
package enum AttemptStart<Attempt> {
    /// The state as it is now, which may be newer than the queue's list.
    case begun(Attempt, DeliveryState)
    /// Another process has the report, or it is no longer pending.
    case taken
    /// The server accepted it earlier, but it could not be filed then. Now it is.
    case alreadySent
}

extension AttemptStart: Sendable where Attempt: Sendable {}

extension Epitaph {
    /// The result of filing a report that the server accepted.
    package enum Filing: Sendable, Equatable {
        /// It is completed.
        case filed
        /// Not filed, but the success is stored: the next attempt files it and sends nothing.
        case noted(DatabaseError)
        /// Nothing could be stored. The attempt still prevents others from sending the report.
        case open(DatabaseError)
    }
}

extension Epitaph {
    /// The operator's choice, and the id of this installation.
    package struct UploadSettings: Sendable, Equatable {
        /// Whether all reports may be sent.
        package var uploadsEnabled: Bool
        /// The id that marks this installation's reports.
        package var clientID: Epitaph.ID

        /// - Parameters:
        ///   - uploadsEnabled: whether all reports may be sent.
        ///   - clientID: random, made once for each database.
        package init(uploadsEnabled: Bool, clientID: Epitaph.ID) {
            self.uploadsEnabled = uploadsEnabled
            self.clientID = clientID
        }
    }
}
