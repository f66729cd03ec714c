// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphValues

/// The source of reports and the place for results.
///
/// The order of calls is `beginAttempt`, the network, then `complete`, `leave` or `withdraw`. If a
/// process dies in between, the report stays pending with its attempt counted. A queue is a view of
/// a database, so it fails with the database's errors. docs/decisions/code.md
package protocol UploadQueue {
    /// While it lives no other process takes the same report.
    associatedtype Attempt

    func settings() throws(DatabaseError) -> UploadSettings

    func pendingReports() throws(DatabaseError) -> PendingReports

    /// When reports were tried since then, by any process; may be empty if unknown.
    func attemptTimes(since time: Timestamp) -> [Timestamp]

    func minidump(of report: PendingReport) throws(DatabaseError) -> FileDescriptor

    func attachments(of report: PendingReport) throws(DatabaseError) -> [OutgoingAttachment]

    func signature(of report: PendingReport) -> KeptSignature?

    /// Takes the report for this process and records the attempt on disk before a byte is sent.
    func beginAttempt(on report: PendingReport) throws(DatabaseError) -> AttemptStart<Attempt>

    /// As `beginAttempt` for several reports, in order: all are recorded before any is sent.
    func beginAttempts(
        on reports: [PendingReport]
    ) -> [Result<AttemptStart<Attempt>, DatabaseError>]

    /// Begins the work of `beginAttempts`; the returned function, called once, waits for its end.
    /// Meanwhile other reports may be read, sent and completed.
    func attemptsAhead(
        on reports: [PendingReport]
    ) -> () -> [Result<AttemptStart<Attempt>, DatabaseError>]

    func complete(_ successes: [(attempt: Attempt, serverID: String)]) -> [Filing]

    /// Begins the work of `complete`; the returned function waits for its end, and is called once
    /// before the next one begins. Meanwhile other reports may be begun, read and sent.
    func beginCompleting(
        _ successes: [(attempt: Attempt, serverID: String)]
    ) -> () -> [Filing]

    /// As `withdraw` for several: in order, why an attempt still counts.
    func withdraw(_ attempts: [Attempt]) -> [DatabaseError?]

    /// The report leaves the queue, and the server's id is stored. May be called again with an
    /// attempt for which it returned `.open`.
    func complete(_ attempt: Attempt, serverID: String) -> Filing

    /// The report did not arrive: it stays in the queue with its new state. `isRequestSettled` says
    /// whether a person's request for it has had its try.
    func leave(
        _ attempt: Attempt, _ state: DeliveryState, isRequestSettled: Bool
    ) throws(DatabaseError)

    func withdraw(_ attempt: Attempt) throws(DatabaseError)

    /// A report that is not to be sent leaves the queue. "Always" holds for all.
    func record(_ answer: ConfirmationAnswer, of report: PendingReport) throws(DatabaseError)

    func pauseEnd(of server: String) throws(DatabaseError) -> Timestamp?

    func pause(_ server: String, until end: Timestamp) throws(DatabaseError)

    /// Nil for a destination that has not failed. Its name is without its key.
    func standing(of destination: String) throws(DatabaseError) -> DestinationStanding?

    func record(_ standing: DestinationStanding, of destination: String) throws(DatabaseError)
}

/// One by one, for queues without a quicker way.
extension UploadQueue {
    public func beginAttempts(
        on reports: [Epitaph.PendingReport]
    ) -> [Result<AttemptStart<Attempt>, Epitaph.DatabaseError>] {
        reports.map { report in
            Result { () throws(DatabaseError) in try beginAttempt(on: report) }
        }
    }

    public func attemptsAhead(
        on reports: [Epitaph.PendingReport]
    ) -> () -> [Result<AttemptStart<Attempt>, Epitaph.DatabaseError>] {
        let starts = beginAttempts(on: reports)
        return { starts }
    }

    public func complete(_ successes: [(attempt: Attempt, serverID: String)]) -> [Epitaph.Filing] {
        successes.map { complete($0.attempt, serverID: $0.serverID) }
    }

    public func beginCompleting(
        _ successes: [(attempt: Attempt, serverID: String)]
    ) -> () -> [Epitaph.Filing] {
        let filings = complete(successes)
        return { filings }
    }

    public func withdraw(_ attempts: [Attempt]) -> [Epitaph.DatabaseError?] {
        var problems: [Epitaph.DatabaseError?] = []
        for attempt in attempts { problems.append(problem(of: try withdraw(attempt))) }
        return problems
    }
}

/// Why a change of the queue failed; nil if it did not.
func problem(of change: @autoclosure () throws(DatabaseError) -> Void) -> DatabaseError? {
    do throws(DatabaseError) {
        try change()
        return nil
    } catch {
        return error
    }
}

package enum AttemptStart<Attempt> {
    case begun(Attempt, DeliveryState)
    case taken
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

    package struct UploadSettings: Sendable, Equatable {
        package var uploadsEnabled: Bool
        package var clientID: Epitaph.ID

        package init(uploadsEnabled: Bool, clientID: Epitaph.ID) {
            self.uploadsEnabled = uploadsEnabled
            self.clientID = clientID
        }
    }
}
