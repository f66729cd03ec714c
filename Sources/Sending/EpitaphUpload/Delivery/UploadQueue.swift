// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphValues

/// The source of reports, where results are recorded, too.
///
/// The order of calls is `beginAttempt`, the network, then `complete`, `leave` or `withdraw`. If a
/// process dies in between, the report stays pending with its attempt counted.
///
/// A queue is a view of a report database, so it fails with the database's own errors.
/// docs/decisions/code.md
package protocol UploadQueue {
    /// While it lives no other process takes the same report.
    associatedtype Attempt

    func settings() throws(DatabaseError) -> UploadSettings

    /// Oldest first; unreadable ones are in `problems`.
    func pendingReports() throws(DatabaseError) -> PendingReports

    /// When reports were tried since then, by any process; each counts once. May be empty if it
    /// cannot be known.
    func attemptTimes(since time: Timestamp) -> [Timestamp]

    /// Open: the same file is examined and sent.
    func minidump(of report: PendingReport) throws(DatabaseError) -> FileDescriptor

    /// Open.
    func attachments(of report: PendingReport) throws(DatabaseError) -> [OutgoingAttachment]

    /// Nil if unknown.
    func signature(of report: PendingReport) -> KeptSignature?

    /// Takes the report for this process and records the attempt on disk before a byte is sent.
    func beginAttempt(on report: PendingReport) throws(DatabaseError) -> AttemptStart<Attempt>

    /// As `beginAttempt` for several reports, in order: all are recorded before any is sent.
    func beginAttempts(
        on reports: [PendingReport]
    ) -> [Result<AttemptStart<Attempt>, DatabaseError>]

    /// Begins the work of `beginAttempts`. The returned function waits for its end and is called
    /// once. Meanwhile other reports may be read, sent and completed.
    func attemptsAhead(
        on reports: [PendingReport]
    ) -> () -> [Result<AttemptStart<Attempt>, DatabaseError>]

    /// As `complete` for several reports, in their order.
    func complete(_ successes: [(attempt: Attempt, serverID: String)]) -> [Filing]

    /// Begins the work of `complete` for several reports. The returned function waits for its end
    /// and is called once before the next one begins. Meanwhile other reports may be begun, read
    /// and sent.
    func beginCompleting(
        _ successes: [(attempt: Attempt, serverID: String)]
    ) -> () -> [Filing]

    /// As `withdraw` for several: in order, why an attempt still counts.
    func withdraw(_ attempts: [Attempt]) -> [DatabaseError?]

    /// The server accepted the report: it leaves the queue, and the server's id is stored. May be
    /// called again with an attempt for which it returned `.open`.
    func complete(_ attempt: Attempt, serverID: String) -> Filing

    /// The report did not arrive: it stays in the queue with its new state.
    ///
    /// - Parameter isRequestSettled: whether a person's request for it has had its try.
    func leave(
        _ attempt: Attempt, _ state: DeliveryState, isRequestSettled: Bool
    ) throws(DatabaseError)

    /// Nothing was sent: the attempt does not count.
    func withdraw(_ attempt: Attempt) throws(DatabaseError)

    /// Stores the user's answer; a report that is not to be sent leaves the queue. "Always" holds
    /// for all.
    func record(_ answer: ConfirmationAnswer, of report: PendingReport) throws(DatabaseError)

    /// The end of a pause that a server asked for; nil if it did not.
    func pauseEnd(of server: String) throws(DatabaseError) -> Timestamp?

    /// Stores a server's pause for all processes.
    func pause(_ server: String, until end: Timestamp) throws(DatabaseError)

    /// The standing of a destination that failed; nil for any other.
    ///
    /// - Parameter destination: its name, without its key.
    func standing(of destination: String) throws(DatabaseError) -> DestinationStanding?

    /// For all processes.
    func record(_ standing: DestinationStanding, of destination: String) throws(DatabaseError)
}

/// One by one, for queues without a quicker way.
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

package enum AttemptStart<Attempt> {
    /// The current state, which may be newer than the queue's list.
    case begun(Attempt, DeliveryState)
    /// Another process has the report.
    case taken
    /// It is no longer pending.
    case gone
    /// The server accepted it earlier, but it was not filed until now.
    case alreadySent
}

extension AttemptStart: Sendable where Attempt: Sendable {}

extension Epitaph {
    package enum Filing: Sendable, Equatable {
        case filed
        /// Not filed, but the success is stored: the next attempt files it and sends nothing.
        case noted(DatabaseError)
        /// Nothing could be stored. The attempt still prevents others from sending the report.
        case open(DatabaseError)
    }
}

extension Epitaph {
    package struct UploadSettings: Sendable, Equatable {
        package var uploadsEnabled: Bool
        /// Random, made once for each database.
        package var clientID: Epitaph.ID

        package init(uploadsEnabled: Bool, clientID: Epitaph.ID) {
            self.uploadsEnabled = uploadsEnabled
            self.clientID = clientID
        }
    }
}
