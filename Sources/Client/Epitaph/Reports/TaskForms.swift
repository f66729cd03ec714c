// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphDatabase
import EpitaphValues

// The blocking functions in a form for tasks, on a separate thread.
extension CrashReporter {
    /// Makes reports from the dumps of earlier launches and of other programs with the same
    /// database, at most 20 a call, this program's own first.
    ///
    /// If the task is cancelled, no further dump is begun, and this returns the results so far. The
    /// other dumps wait for another pass (`EarlierCrashes.waitingCount`).
    ///
    /// - Parameters:
    ///   - annotations: as for the form that blocks.
    ///   - tell: called on Epitaph's thread for each report once all are filed, with a summary for
    ///     the daemon's log.
    /// - Throws: `DatabaseError` if the database cannot be used at all, or no thread can be
    ///   created. A bad dump does not stop the others.
    @discardableResult
    package func processIntermediateDumps(
        annotations: [String: String] = [:],
        telling tell: (@Sendable (Epitaph.CrashSummary) -> Void)? = nil
    ) async throws(Epitaph.DatabaseError) -> Epitaph.EarlierCrashes {
        try await onOwnThread(orThrow: DatabaseError.system) {
            isCancelled throws(DatabaseError) in
            try processIntermediateDumps(
                annotations: annotations, telling: tell, shouldStop: isCancelled)
        }
    }

    /// The copy is finished even if the task is cancelled.
    package func attach(_ file: Epitaph.AttachedFile, to report: Epitaph.ID) async throws(Epitaph
        .AttachmentProblem)
    {
        try await onOwnThread(
            orThrow: { .unreadable(name: file.path, reason: $0.description) },
            { _ throws(AttachmentProblem) in try attach(file, to: report) })
    }

    /// If the task is cancelled after the capture, this throws and the dump waits for a sweep.
    @discardableResult
    package func reportLiveDump() async throws(Epitaph.Refusal) -> Epitaph.ID {
        let id = try captureLiveDump()
        try await onOwnThread(orThrow: {
            Refusal($0)
        }) {
            isCancelled throws(Refusal) in
            try fileLiveDump(id, shouldStop: isCancelled)
        }
        return id
    }
}
