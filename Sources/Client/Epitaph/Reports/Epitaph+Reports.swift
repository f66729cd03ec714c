// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphDatabase
import EpitaphUpload
import EpitaphValues

// Reports of this program. Before the start all of these throw an error that says so.
extension Epitaph {
    /// Captures this process, which goes on running, into a dump that becomes a report together
    /// with those of crashes.
    ///
    /// - Returns: the id that its report will have.
    @discardableResult
    public static func captureLiveDump() throws(Refusal) -> Epitaph.ID {
        try started().captureLiveDump()
    }

    /// Captures this process and files the report at once. Blocks; tasks call the form that does
    /// not block. If another process is converting the dump, this waits at most 30 seconds for it.
    ///
    /// - Returns: the id of the report.
    /// - Throws: `Refusal`, which says what became of the dump.
    @discardableResult
    public static func reportLiveDump() throws(Refusal) -> Epitaph.ID {
        try started().reportLiveDump()
    }

    /// The same for asynchronous code, on a separate thread. The capture is made on the calling
    /// thread, so the report has the caller's stack.
    @discardableResult
    public static func reportLiveDump() async throws(Refusal) -> Epitaph.ID {
        try await started().reportLiveDump()
    }

    /// Sends the pending reports to any kind of collector, besides `Configuration.destination`.
    ///
    /// - Returns: the running uploads, which go on if the result is discarded; nil if Epitaph does
    ///   not run.
    /// - Throws: `Refusal` if the destination cannot be used or no thread can be created.
    @discardableResult
    public static func startUploads(
        to destination: DestinationSpecification,
        with destinationOptions: DestinationOptions = DestinationOptions(),
        options: UploadOptions = UploadOptions(),
        completion: @escaping @Sendable (UploadOutcome) -> Void = { _ in }
    ) throws(Refusal) -> Uploads? {
        try reporter?.startUploads(
            to: destination, with: destinationOptions, options: options, completion: completion)
    }

    /// Attaches one more file to every report, copied when a dump becomes a report. Replaces a file
    /// of the same name. From any thread.
    ///
    /// - Throws: `AttachmentProblem` if there are 32 already, or the path or the name is too long.
    public static func addAttachment(_ file: AttachedFile) throws(AttachmentProblem) {
        try rethrowing(addAttachment(file.path, name: file.name)) { (error: Refusal) in
            AttachmentProblem.unreadable(name: file.path, reason: error.description)
        }
    }

    /// Copies a file into the attachments of a filed report.
    ///
    /// - Throws: a problem that names the file, also if the database cannot be used or another
    ///   process works on the report.
    public static func attach(_ file: AttachedFile, to report: Epitaph.ID) throws(AttachmentProblem)
    {
        guard let reporter else {
            throw .unreadable(name: file.path, reason: Refusal.notStarted.description)
        }
        try reporter.attach(file, to: report)
    }

    /// Whether reports may be sent: off until the user agrees. The choice is stored in the
    /// database, which takes the time of syncing a small file.
    public static func setUploadsEnabled(_ isEnabled: Bool) throws(DatabaseError) {
        try withStarted { (reporter) throws(DatabaseError) in
            try reporter.setUploadsEnabled(isEnabled)
        }
    }

    /// Whether `setUploadsEnabled` or a user's "always" allowed all reports to be sent.
    public static func areUploadsEnabled() throws(DatabaseError) -> Bool {
        try withStarted { (reporter) throws(DatabaseError) in try reporter.areUploadsEnabled() }
    }

    /// Requests one report to be sent even while uploads are disabled, and even if the server or
    /// the user refused it before: the next pass tries it.
    public static func requestUpload(of report: Epitaph.ID) throws(DatabaseError) {
        try withStarted { (reporter) throws(DatabaseError) in
            try reporter.requestUpload(of: report)
        }
    }

    /// Waits until a report is at the server, or until a pass of uploads leaves it where it is.
    /// Blocks; tasks call the form that does not block. Any report of the database counts, also one
    /// that is not filed yet or that another process sends.
    ///
    /// - Parameters:
    ///   - report: as `report(_:)`, `ErrorReports.send` and `reportLiveDump` return it.
    ///   - limit: `Delivery.waiting` is the result afterwards.
    public static func delivery(
        of report: ID, within limit: Duration = .seconds(60)
    ) throws(DatabaseError) -> Delivery {
        try withStarted { (reporter) throws(DatabaseError) in
            try reporter.delivery(of: report, within: limit)
        }
    }

    /// Gives the user's answer about reports that `UploadOptions.confirmation` was asked about and
    /// answered with `.later`, or about any that wait. Uploads that run send at once what may go.
    ///
    /// - Throws: the first failure, after all reports were tried: `.busy` while one is being sent,
    ///   `.alreadyUploaded` if the server has it, `.notFound` if it is gone.
    public static func notify(
        with answer: ConfirmationAnswer, for reports: [Epitaph.ID]
    ) throws(DatabaseError) {
        try withStarted { (reporter) throws(DatabaseError) in
            try reporter.record(answer, of: reports)
        }
    }

    /// Sends a too large report in the next pass without its attachments, which stay on disk.
    public static func leaveOutAttachments(of report: Epitaph.ID) throws(DatabaseError) {
        try withStarted { (reporter) throws(DatabaseError) in
            try reporter.leaveOutAttachments(of: report)
        }
    }

    /// How earlier launches of this program ended, the newest first; the last hundred are kept.
    public static func launchHistory() throws(DatabaseError) -> [RecordedLaunch] {
        try withStarted { (reporter) throws(DatabaseError) in try reporter.launchHistory() }
    }

    /// The breadcrumbs of an earlier launch, also if it was killed or the machine lost power. Nil
    /// if the launch had no breadcrumb file, ended cleanly, or its file was removed.
    ///
    /// - Throws: if the file or the database cannot be read.
    public static func breadcrumbs(
        of launch: EarlierLaunch
    ) throws(DatabaseError) -> EarlierBreadcrumbs? {
        try withStarted { (reporter) throws(DatabaseError) in try reporter.breadcrumbs(of: launch) }
    }

    private static func started() throws(Refusal) -> CrashReporter {
        guard let reporter else { throw .notStarted }
        return reporter
    }

    private static func withStarted<Result>(
        _ work: (CrashReporter) throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result {
        guard let reporter else { throw .notStarted }
        return try work(reporter)
    }
}

// The same for tasks: the work runs on a separate thread, and the task's thread is free meanwhile.
extension Epitaph {
    /// Decides whether reports may be sent, without blocking.
    public static func setUploadsEnabled(_ isEnabled: Bool) async throws(DatabaseError) {
        try await onOwnThread(orThrow: DatabaseError.system) { _ throws(DatabaseError) in
            try setUploadsEnabled(isEnabled)
        }
    }

    /// Whether all reports may be sent, without blocking.
    public static func areUploadsEnabled() async throws(DatabaseError) -> Bool {
        try await onOwnThread(orThrow: DatabaseError.system) { _ throws(DatabaseError) in
            try areUploadsEnabled()
        }
    }

    /// Asks for one report to be sent, without blocking.
    public static func requestUpload(of report: ID) async throws(DatabaseError) {
        try await onOwnThread(orThrow: DatabaseError.system) { _ throws(DatabaseError) in
            try requestUpload(of: report)
        }
    }

    /// Waits for a report to be sent, without blocking; once cancelled, half a second at most.
    public static func delivery(
        of report: ID, within limit: Duration = .seconds(60)
    ) async throws(DatabaseError) -> Delivery {
        try await onOwnThread(orThrow: DatabaseError.system) { isCancelled throws(DatabaseError) in
            try withStarted { (reporter) throws(DatabaseError) in
                try reporter.delivery(of: report, within: limit, isCancelled: isCancelled)
            }
        }
    }

    /// Gives the user's answer about reports that wait, without blocking.
    public static func notify(
        with answer: ConfirmationAnswer, for reports: [ID]
    ) async throws(DatabaseError) {
        try await onOwnThread(orThrow: DatabaseError.system) { _ throws(DatabaseError) in
            try notify(with: answer, for: reports)
        }
    }

    /// Lets a report go without its attachments, without blocking.
    public static func leaveOutAttachments(of report: ID) async throws(DatabaseError) {
        try await onOwnThread(orThrow: DatabaseError.system) { _ throws(DatabaseError) in
            try leaveOutAttachments(of: report)
        }
    }

    /// Attaches a file to a report without blocking; the copy is finished even if cancelled.
    public static func attach(
        _ file: AttachedFile, to report: ID
    ) async throws(AttachmentProblem) {
        guard let reporter else {
            throw .unreadable(name: file.path, reason: Refusal.notStarted.description)
        }
        try await reporter.attach(file, to: report)
    }

    /// How earlier launches ended, without blocking.
    public static func launchHistory() async throws(DatabaseError) -> [RecordedLaunch] {
        try await onOwnThread(orThrow: DatabaseError.system) { _ throws(DatabaseError) in
            try launchHistory()
        }
    }
}
