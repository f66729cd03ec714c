// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphDatabase
import EpitaphHTTP
import EpitaphSystem
import EpitaphUpload
import EpitaphValues

extension CrashReporter {
    package func setUploadsEnabled(_ isEnabled: Bool) throws(Epitaph.DatabaseError) {
        _ = try withDatabase { (database) throws(DatabaseError) in
            try database.updateSettings { $0.uploadsEnabled = isEnabled }
        }
        if isEnabled { RunningUploads.shared.wake(for: databasePath) }
    }

    package func areUploadsEnabled() throws(Epitaph.DatabaseError) -> Bool {
        try withDatabase { (database) throws(DatabaseError) in
            try database.settings().uploadsEnabled
        }
    }

    package func requestUpload(of report: Epitaph.ID) throws(Epitaph.DatabaseError) {
        try withDatabase { (database) throws(DatabaseError) in
            try database.requestUpload(of: report)
        }
        RunningUploads.shared.wake(for: databasePath)
    }

    package func record(
        _ answer: Epitaph.ConfirmationAnswer, of reports: [Epitaph.ID]
    ) throws(Epitaph.DatabaseError) {
        defer { RunningUploads.shared.wake(for: databasePath) }
        var failure: Epitaph.DatabaseError?
        try withDatabase { (database) throws(DatabaseError) in
            for report in reports {
                do throws(DatabaseError) {
                    try database.record(answer, of: report)
                } catch {
                    failure = failure ?? error
                }
            }
        }
        if let failure { throw failure }
    }

    package func leaveOutAttachments(of report: Epitaph.ID) throws(Epitaph.DatabaseError) {
        try withDatabase { (database) throws(DatabaseError) in
            try database.chooseAttachments(.leftOut, of: report)
        }
        RunningUploads.shared.wake(for: databasePath)
    }

    @discardableResult
    package func startUploads(
        to destination: Epitaph.DestinationSpecification,
        with destinationOptions: Epitaph.DestinationOptions = Epitaph.DestinationOptions(),
        options: Epitaph.UploadOptions = Epitaph.UploadOptions(),
        completion: @escaping @Sendable (Epitaph.UploadOutcome) -> Void = { _ in }
    ) throws(Epitaph.Refusal) -> Epitaph.Uploads {
        let place: any ReportDestination = try rethrowing(
            destination.destination(destinationOptions)
        ) { (error: SettingError) in Refusal(.invalidArgument, error.description) }
        return try startUploads(to: place, options: options, completion: completion)
    }

    @discardableResult
    package func startUploads(
        to destination: any ReportDestination, options: UploadOptions = UploadOptions(),
        completion: @escaping @Sendable (UploadOutcome) -> Void = { _ in }
    ) throws(Refusal) -> Uploads {
        do throws(SystemError) {
            let uploads = try Uploads(
                databasePath: databasePath, destination: destination, options: options,
                completion: completion)
            try BackgroundThread.start("epitaph-upload") { uploads.run() }
            return uploads
        } catch {
            throw Refusal(error)
        }
    }
}

extension Epitaph {
    /// How a pass over the pending reports went.
    public enum UploadOutcome: Sendable, Equatable {
        /// The reports that reached the server, those that did not, and those left alone (uploads
        /// disabled, busy, not due yet, refused before).
        case finished(sent: Int, failed: Int, skipped: Int)
        /// The database could not be read, in a sentence.
        case impossible(String)
    }
}
