// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphHTTP
import EpitaphSystem
import EpitaphUpload
import EpitaphValues
import Synchronization

extension Epitaph {
    /// Uploads on a separate thread.
    public final class Uploads: Sendable {
        private let databasePath: String
        private let destination: any ReportDestination
        private let options: UploadOptions
        private let completion: @Sendable (UploadOutcome) -> Void
        private let stopSignal: StopSignal
        private let wake = WakeSignal()
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

        /// Ends all waits and a request in progress within a second, and the pass before its next
        /// report. From any thread.
        public func stop() {
            stopSignal.stop()
            wake.give()
        }

        /// Whether no more reports will be sent: the only pass is over, or it was stopped.
        public var hasEnded: Bool { isOver.load(ordering: .acquiring) }

        func run() {
            defer { isOver.store(true, ordering: .releasing) }
            RunningUploads.shared.add(wake, for: databasePath)
            defer { RunningUploads.shared.remove(wake) }
            do {
                let database = try ReportDatabase(opening: databasePath, ifMissing: .create)
                // One for all passes: it counts what was sent in the last minute, and keeps what
                // could not be filed.
                var uploader = ReportUploader(
                    database, to: destination, by: try CurlTransport(stoppableTransport),
                    rules: options.rules, callbacks: options.callbacks,
                    clock: SystemStoppableClock(stopSignal: stopSignal),
                    network: RouteTableWatch(usesProxy: options.transport.mayUseProxy))
                repeat {
                    let (outcome, isTaken) = pass(database, &uploader)
                    completion(outcome)
                    guard continues(soon: isTaken) else { return }
                } while true
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

        /// Waits for the next pass, or for something new to send.
        ///
        /// - Parameter soon: whether another process or thread holds a report, such as uploads that
        ///   were just stopped and started again. It may be released unsent.
        private func continues(soon: Bool) -> Bool {
            guard let seconds = options.repeatsAfter?.inSeconds else { return false }
            let longest = soon ? Self.longestWaitForTakenSeconds : .infinity
            wake.wait(seconds: max(min(seconds, longest), 1))
            return !stopSignal.isStopped
        }

        private static let longestWaitForTakenSeconds = 5.0

        private func pass(
            _ database: ReportDatabase, _ uploader: inout ReportUploader<DatabaseQueue>
        ) -> (outcome: UploadOutcome, isTaken: Bool) {
            do {
                let summary = try uploader.uploadPending { report, result in
                    RunningUploads.shared.note(result, of: report.uuid, in: databasePath)
                }
                // Prune afterwards, so that each report has its chance. Even without limits this
                // removes leftovers of interrupted work.
                _ = try database.prune(options.prunePolicy)
                let outcome = UploadOutcome.finished(
                    sent: summary.sentCount, failed: summary.failedCount,
                    skipped: summary.skippedCount)
                return (outcome, summary.reports.contains { $0.result == .skipped(.taken) })
            } catch {
                return (.impossible("\(error)"), false)
            }
        }
    }
}
