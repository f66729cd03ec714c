// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem

/// Several reports with one sync: docs/decisions/database.md
extension DatabaseQueue {
    package func beginAttempts(
        on reports: [PendingReport]
    ) -> [Result<AttemptStart<UploadAttempt>, DatabaseError>] {
        database.beginUploads(of: reports.map(\.uuid)).map { start in
            switch start {
            case .success(let attempt): .success(.begun(attempt, attempt.deliveryState))
            case .failure(.busy): .success(.taken)
            case .failure(.notFound): .success(.gone)
            case .failure(.alreadyUploaded): .success(.alreadySent)
            case .failure(let error): .failure(error)
            }
        }
    }

    package func complete(_ successes: [(attempt: UploadAttempt, serverID: String)]) -> [Filing] {
        zip(successes, database.recordSuccesses(successes)).map { success, failure in
            switch failure {
            // It was deleted while being sent: there is nothing left to file.
            case nil, .notFound: .filed
            case .some(let error):
                success.attempt.isOpen ? .open(error) : .noted(error)
            }
        }
    }

    /// On a separate thread: for a batch, the disk takes as long as a quick server.
    package func attemptsAhead(
        on reports: [PendingReport]
    ) -> () -> [Result<AttemptStart<UploadAttempt>, DatabaseError>] {
        let queue = self
        let work = BackgroundThread.Work("epitaph-filing") { queue.beginAttempts(on: reports) }
        return work.wait
    }

    package func beginCompleting(
        _ successes: [(attempt: UploadAttempt, serverID: String)]
    ) -> () -> [Filing] {
        let queue = self
        let work = BackgroundThread.Work("epitaph-filing") { queue.complete(successes) }
        return work.wait
    }

    package func withdraw(_ attempts: [UploadAttempt]) -> [DatabaseError?] {
        database.withdraw(attempts)
    }
}
