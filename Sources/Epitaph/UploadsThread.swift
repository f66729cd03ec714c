// SPDX-License-Identifier: Apache-2.0

import HTTPTransport
import LinuxSystem
import ReportDatabase
import ReportUpload
import Synchronization

/// Uploads that run on a thread of their own.
public final class Uploads: Sendable {
    private let databasePath: String
    private let destination: any ReportDestination
    private let options: UploadOptions
    private let completion: @Sendable (UploadOutcome) -> Void
    private let stopSignal: StopSignal
    private let isOver = Atomic(false)

    init(
        databasePath: String, destination: any ReportDestination, options: UploadOptions,
        completion: @escaping @Sendable (UploadOutcome) -> Void
    ) throws(SystemError) {
        self.databasePath = databasePath
        self.destination = destination
        self.options = options
        self.completion = completion
        stopSignal = try StopSignal()
    }

    /// Ends all waiting and a request that is on its way, within a second, and the pass before its
    /// next report. From any thread.
    public func stop() {
        stopSignal.stop()
    }

    /// Whether no report will be sent any more: the only pass is over, or it was stopped.
    public var hasEnded: Bool { isOver.load(ordering: .acquiring) }

    func run() {
        defer { isOver.store(true, ordering: .releasing) }
        do {
            let database = try ReportDatabase(opening: databasePath, ifMissing: .create)
            // One for all passes: it counts what was sent in the last minute, and holds on to what
            // could not be filed.
            var uploader = ReportUploader(
                database, to: destination, by: try CurlTransport(stoppableTransport),
                rules: options.rules, callbacks: options.callbacks,
                clock: SystemStoppableClock(stopSignal: stopSignal),
                network: RouteTableWatch(usesProxy: options.transport.mayUseProxy))
            repeat {
                completion(pass(database, &uploader))
            } while continues()
        } catch {
            completion(.impossible("\(error)"))
        }
    }

    private var stoppableTransport: TransportOptions {
        var transport = options.transport
        let (stopSignal, shouldStop) = (stopSignal, transport.shouldStop)
        transport.shouldStop = { stopSignal.isStopped || shouldStop?() == true }
        return transport
    }

    private func continues() -> Bool {
        guard let seconds = options.repeatsAfterSeconds else { return false }
        return !stopSignal.wait(seconds: max(seconds, 1))
    }

    private func pass(
        _ database: ReportDatabase, _ uploader: inout ReportUploader<DatabaseQueue>
    ) -> UploadOutcome {
        do {
            let summary = try uploader.uploadPending()
            // Afterwards, so that a report had its chance before it had to go; what could not be
            // removed is met again in the next pass. Without limits of its own it still clears away
            // what interrupted work left behind.
            _ = try database.prune(options.prunePolicy)
            return .finished(
                sent: summary.sentCount, failed: summary.failedCount,
                skipped: summary.skippedCount)
        } catch {
            return .impossible("\(error)")
        }
    }
}
