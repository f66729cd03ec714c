// SPDX-License-Identifier: Apache-2.0

import HTTPTransport
import LinuxSystem
import ReportDatabase
import ReportUpload

extension CrashReporter {
    /// Whether reports may be sent: off until somebody agrees. The choice is kept in the database.
    public func setUploadsEnabled(_ isEnabled: Bool) throws(DatabaseError) {
        let database = try ReportDatabase(opening: databasePath, ifMissing: .create)
        try database.updateSettings { $0.uploadsEnabled = isEnabled }
    }

    /// Sends the pending reports to `url` on a thread of its own, each once; what does not arrive
    /// stays pending.
    ///
    /// - Parameters:
    ///   - url: of a collector that takes Crashpad's multipart form, http or https.
    ///   - completion: called on that thread when all have been tried.
    /// - Throws: when the URL makes no sense or no thread can be had.
    public func startUploads(
        to url: String,
        completion: @escaping @Sendable (UploadOutcome) -> Void = { _ in }
    ) throws {
        let destination = UploadDestination(try UploadURL(url))
        let databasePath = databasePath
        try BackgroundThread.start("epitaph-upload") {
            completion(Self.upload(databasePath: databasePath, to: destination))
        }
    }

    private static func upload(
        databasePath: String, to destination: UploadDestination
    ) -> UploadOutcome {
        do {
            let database = try ReportDatabase(opening: databasePath, ifMissing: .create)
            var uploader = ReportUploader(
                database, to: destination, by: try CurlTransport(),
                clock: SystemUploadClock(stopSignal: try StopSignal()))
            let summary = try uploader.uploadPending()
            return .finished(
                sent: summary.sentCount, failed: summary.failedCount,
                skipped: summary.skippedCount)
        } catch {
            return .impossible("\(error)")
        }
    }
}

/// How a pass over the pending reports went.
public enum UploadOutcome: Sendable, Equatable {
    /// Reports that reached the server, that did not, and that were left alone (uploads disabled,
    /// busy).
    case finished(sent: Int, failed: Int, skipped: Int)
    /// The database could not be read, in a sentence.
    case impossible(String)
}
