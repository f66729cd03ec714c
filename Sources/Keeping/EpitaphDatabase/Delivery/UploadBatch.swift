// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// One sync for each step of several uploads. Failures are separate. docs/decisions/database.md
extension ReportDatabase {
    /// Records all attempts before the first report is sent; results as of `beginUpload`.
    package func beginUploads(of uuids: [Epitaph.ID]) -> [Result<UploadAttempt, DatabaseError>] {
        let now = clock.now()
        let starts = uuids.map { uuid in
            Result { () throws(DatabaseError) in try startUpload(of: uuid, at: now) }
        }
        let begun = starts.compactMap { try? $0.get() }
        let failures = change(
            begun.map { start in
                MetadataChange(uuid: start.uuid) {
                    $0.uploadAttempts = $0.uploadAttempts == .max ? .max : $0.uploadAttempts + 1
                    $0.lastUploadAttemptSeconds = now.wholeSeconds
                }
            }, from: .pending, to: .pending)
        var settingsFailure: DatabaseError?
        if failures.contains(where: { $0 == nil }) {
            do throws(DatabaseError) {
                try updateSettings { $0.lastUploadAttemptTime = now }
            } catch {
                settingsFailure = error
            }
        }
        var outcomes = zip(begun, failures).makeIterator()
        return starts.map { start in
            guard case .success = start, let (start, failure) = outcomes.next() else {
                return start.flatMap { _ in .failure(.notFound("")) }
            }
            do throws(DatabaseError) {
                if let failure = failure ?? settingsFailure { throw failure }
                return .success(try counted(start))
            } catch {
                start.lock.release()
                return .failure(error)
            }
        }
    }

    /// `UploadAttempt.recordSuccess` for each. Returns, in order, why a report is not filed. If the
    /// success is stored elsewhere, the attempt's `isOpen` is false.
    package func recordSuccesses(
        _ successes: [(attempt: UploadAttempt, serverID: String)]
    ) -> [DatabaseError?] {
        let held = successes.filter(\.attempt.isOpen)
        let failures = change(
            held.map { success in
                MetadataChange(uuid: success.attempt.report.uuid) {
                    $0.becomeUploaded(serverID: success.serverID)
                }
            }, from: .pending, to: .completed)
        for (success, failure) in zip(held, failures) where failure == nil {
            success.attempt.forgetDelivery()
        }
        // Failed ones are retried one by one, with all other ways to store a success.
        var together = zip(held, failures).makeIterator()
        return successes.map { success -> DatabaseError? in
            var known: DatabaseError?
            if held.contains(where: { $0.attempt === success.attempt }) {
                guard let failure = together.next()?.1 else { return nil }
                known = failure
            }
            do throws(DatabaseError) {
                try success.attempt.recordSuccess(serverID: success.serverID)
                return nil
            } catch .notFound {
                // It had moved already when a later step failed.
                return known ?? .notFound(success.attempt.report.uuid.fileStem)
            } catch {
                return error
            }
        }
    }

    /// `UploadAttempt.withdraw` for each. Returns, in order, why an attempt still counts.
    package func withdraw(_ attempts: [UploadAttempt]) -> [DatabaseError?] {
        let failures = change(
            attempts.map { attempt in
                MetadataChange(uuid: attempt.report.uuid) { attempt.uncount(&$0) }
            }, from: .pending, to: .pending)
        attempts.forEach { $0.recordFailure() }
        return failures
    }
}
