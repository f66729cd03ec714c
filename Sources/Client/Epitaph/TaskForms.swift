// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphDatabase
import EpitaphValues

/// Forms for tasks of the functions that block: the work runs on a thread of its own, which ends
/// with it.
extension CrashReporter {
    /// Turns the dumps that earlier launches, and other programs with the same database, left
    /// behind into reports, at most 20 a call, this program's own first.
    ///
    /// When the task is cancelled no further dump is begun: those that are left wait for another
    /// pass (`EarlierCrashes.waitingCount`), and what was done by then is returned. That is no
    /// error.
    ///
    /// - Parameters:
    ///   - annotations: added to the reports of this program that are made now, as by the form that
    ///     blocks.
    ///   - tell: called for each report once all are filed, on Epitaph's thread, with what it says
    ///     in a few lines: the log of a daemon then says why its last launch died.
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

    /// Copies a file into the attachments of a report that is there already. A copy is finished
    /// although the task is cancelled.
    ///
    /// - Throws: a problem that names the file, also when the database cannot be used, another
    ///   process works on the report, or no thread can be created.
    package func attach(_ file: Epitaph.AttachedFile, to report: Epitaph.ID) async throws(Epitaph
        .AttachmentProblem)
    {
        try await onOwnThread(
            orThrow: { .unreadable(name: file.path, reason: $0.description) },
            { _ throws(AttachmentProblem) in try attach(file, to: report) })
    }

    /// Captures this process and converts the dump, and others that are pending, at once. Where
    /// another process converts the dump, this waits for it, at most 30 seconds.
    ///
    /// The capture is made on the thread that calls, so that its stack is the one in question, and
    /// takes milliseconds unless another capture is going on. When the task is cancelled after that
    /// the dump waits for a later `processIntermediateDumps`, and this throws.
    ///
    /// - Returns: the id of the report, which is filed.
    /// - Throws: `LiveDumpError`, with what became of the dump.
    @discardableResult
    package func reportLiveDump() async throws(Epitaph.LiveDumpError) -> Epitaph.ID {
        let id = try captureLiveDump()
        try await onOwnThread(orThrow: { LiveDumpError(sentence: $0.description) }) {
            isCancelled throws(LiveDumpError) in
            try fileLiveDump(id, shouldStop: isCancelled)
        }
        return id
    }

    /// Whether reports may be sent: off until the user agrees. The choice is kept in the database.
    package func setUploadsEnabled(_ isEnabled: Bool) async throws(Epitaph.DatabaseError) {
        try await onOwnThread(orThrow: DatabaseError.system) { _ throws(DatabaseError) in
            try setUploadsEnabled(isEnabled)
        }
    }

    /// Whether `setUploadsEnabled` or a user's "always" allowed all reports to be sent.
    package func areUploadsEnabled() async throws(Epitaph.DatabaseError) -> Bool {
        try await onOwnThread(orThrow: DatabaseError.system) { _ throws(DatabaseError) in
            try areUploadsEnabled()
        }
    }

    /// Asks for one report to be sent even while uploads are disabled, and once more even if the
    /// server or the user refused it: the next pass tries it.
    package func requestUpload(of report: Epitaph.ID) async throws(Epitaph.DatabaseError) {
        try await onOwnThread(orThrow: DatabaseError.system) { _ throws(DatabaseError) in
            try requestUpload(of: report)
        }
    }

    /// Lets a report that the server found too large go without its attachments in the next pass.
    /// They stay in the database.
    package func leaveOutAttachments(of report: Epitaph.ID) async throws(Epitaph.DatabaseError) {
        try await onOwnThread(orThrow: DatabaseError.system) { _ throws(DatabaseError) in
            try leaveOutAttachments(of: report)
        }
    }
}
