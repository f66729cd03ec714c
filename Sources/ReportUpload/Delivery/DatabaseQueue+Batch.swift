// SPDX-License-Identifier: Apache-2.0

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
            // Somebody removed it while it was on its way: there is nothing left to file.
            case nil, .notFound: .filed
            case .some(let error):
                success.attempt.isOpen ? .open(error) : .noted(error)
            }
        }
    }

    public func withdraw(_ attempts: [UploadAttempt]) -> [DatabaseError?] {
        database.withdraw(attempts)
    }
}
