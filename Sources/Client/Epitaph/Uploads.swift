// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphDatabase
import EpitaphHTTP
import EpitaphSystem
import EpitaphUpload
import EpitaphValues

extension CrashReporter {
    /// Whether reports may be sent: off until the user agrees. The choice is kept in the database.
    package func setUploadsEnabled(_ isEnabled: Bool) throws(Epitaph.DatabaseError) {
        _ = try withDatabase { (database) throws(DatabaseError) in
            try database.updateSettings { $0.uploadsEnabled = isEnabled }
        }
    }

    /// Whether `setUploadsEnabled` or a user's "always" allowed all reports to be sent.
    package func areUploadsEnabled() throws(Epitaph.DatabaseError) -> Bool {
        try withDatabase { (database) throws(DatabaseError) in
            try database.settings().uploadsEnabled
        }
    }

    /// Asks for one report to be sent even while uploads are disabled, and once more even if the
    /// server or the user refused it: the next pass tries it.
    package func requestUpload(of report: Epitaph.ID) throws(Epitaph.DatabaseError) {
        try withDatabase { (database) throws(DatabaseError) in
            try database.requestUpload(of: report)
        }
    }

    /// Lets a report that the server found too large go without its attachments in the next pass.
    /// They stay in the database.
    package func leaveOutAttachments(of report: Epitaph.ID) throws(Epitaph.DatabaseError) {
        try withDatabase { (database) throws(DatabaseError) in
            try database.chooseAttachments(.leftOut, of: report)
        }
    }

    /// Sends the pending reports to `url` on a thread of its own; what does not arrive stays
    /// pending.
    ///
    /// - Parameters:
    ///   - url: of a collector that takes Crashpad's multipart form, http or https.
    ///   - options: limits, consent, scrubbing and the connection.
    ///   - completion: called on that thread after each pass.
    /// - Returns: the running uploads; they go on when it is dropped.
    /// - Throws: `UploadStartError` if the URL cannot be used or no thread can be created.
    @discardableResult
    package func startUploads(
        to url: String, options: Epitaph.UploadOptions = Epitaph.UploadOptions(),
        completion: @escaping @Sendable (Epitaph.UploadOutcome) -> Void = { _ in }
    ) throws(Epitaph.UploadStartError) -> Epitaph.Uploads {
        let place: UploadURL
        do throws(TransportError) {
            place = try UploadURL(url)
        } catch {
            throw .invalidURL(error)
        }
        return try startUploads(
            to: UploadDestination(place), options: options, completion: completion)
    }

    /// Sends the pending reports to any kind of collector.
    ///
    /// - Throws: `UploadStartError` if the destination's secrets cannot be read or no thread can be
    ///   created.
    @discardableResult
    package func startUploads(
        to destination: Epitaph.DestinationSpecification,
        with destinationOptions: Epitaph.DestinationOptions = Epitaph.DestinationOptions(),
        options: Epitaph.UploadOptions = Epitaph.UploadOptions(),
        completion: @escaping @Sendable (Epitaph.UploadOutcome) -> Void = { _ in }
    ) throws(Epitaph.UploadStartError) -> Epitaph.Uploads {
        let place: any ReportDestination
        do throws(DestinationError) {
            place = try destination.destination(destinationOptions)
        } catch {
            throw .invalidDestination(error)
        }
        return try startUploads(to: place, options: options, completion: completion)
    }

    @discardableResult
    package func startUploads(
        to destination: any ReportDestination, options: UploadOptions = UploadOptions(),
        completion: @escaping @Sendable (UploadOutcome) -> Void = { _ in }
    ) throws(UploadStartError) -> Uploads {
        do throws(SystemError) {
            let uploads = try Uploads(
                databasePath: databasePath, destination: destination, options: options,
                completion: completion)
            try BackgroundThread.start("epitaph-upload") { uploads.run() }
            return uploads
        } catch {
            throw .system(error)
        }
    }
}

extension Epitaph {
    /// Why no report will be sent.
    public enum UploadStartError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The URL cannot be used for uploads.
        case invalidURL(TransportError)
        /// The destination cannot be used, for example because its key file cannot be read.
        case invalidDestination(DestinationError)
        /// A thread or a file descriptor could not be created.
        case system(SystemError)

        public var description: String {
            switch self {
            case .invalidURL(let error): "\(error)"
            case .invalidDestination(let error): error.description
            case .system(let error): error.description
            }
        }
    }
}

extension Epitaph {
    /// How a pass over the pending reports went.
    public enum UploadOutcome: Sendable, Equatable {
        /// Reports that reached the server, that did not, and that were left alone (uploads
        /// disabled, busy, not due yet, refused before).
        case finished(sent: Int, failed: Int, skipped: Int)
        /// The database could not be read, in a sentence.
        case impossible(String)
    }
}
