// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReportDatabase

/// Several reports with one synchronisation: docs/decisions/batches.md
extension DatabaseQueue {
    public func beginAttempts(
        on reports: [PendingReport]
    ) -> [Result<AttemptStart<UploadAttempt>, DatabaseError>] {
        database.beginUploads(of: reports.map(\.uuid)).map { start in
            switch start {
            case .success(let attempt): .success(.begun(attempt, attempt.deliveryState))
            case .failure(.busy), .failure(.notFound): .success(.taken)
            case .failure(.alreadyUploaded): .success(.alreadySent)
            case .failure(let error): .failure(error)
            }
        }
    }

    public func complete(_ successes: [(attempt: UploadAttempt, serverID: String)]) -> [Filing] {
        zip(successes, database.recordSuccesses(successes)).map { success, failure in
            switch failure {
            // It was deleted while it was being sent: there is nothing left to file.
            case nil, .notFound: .filed
            case .some(let error):
                success.attempt.isOpen ? .open(error) : .noted(error)
            }
        }
    }

    /// On a thread of its own, like `beginCompleting`: a disk takes as long for a batch as a quick
    /// server for half of one.
    public func attemptsAhead(
        on reports: [PendingReport]
    ) -> () -> [Result<AttemptStart<UploadAttempt>, DatabaseError>] {
        let queue = self
        let work = BackgroundThread.Work("epitaph-filing") { queue.beginAttempts(on: reports) }
        return work.wait
    }

    public func beginCompleting(
        _ successes: [(attempt: UploadAttempt, serverID: String)]
    ) -> () -> [Filing] {
        let queue = self
        let work = BackgroundThread.Work("epitaph-filing") { queue.complete(successes) }
        return work.wait
    }

    public func withdraw(_ attempts: [UploadAttempt]) -> [DatabaseError?] {
        database.withdraw(attempts)
    }
}
