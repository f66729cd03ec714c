// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphDatabase
import EpitaphSystem
import EpitaphUpload
import EpitaphValues

extension Epitaph {
    /// What became of a report on its way to the server.
    public enum Delivery: Sendable, Equatable {
        /// The server has it, and calls it so; empty if it gave no id.
        case sent(serverID: String)
        /// The latest attempt failed, with the server's answer if there was one. The report is
        /// tried again as docs/delivery.md says.
        case failed(UploadFailure)
        /// The latest pass made no attempt, for example without consent: the reason, as a clause.
        case notSent(reason: String)
        /// Neither within the time.
        case waiting
    }
}

extension Epitaph.Delivery {
    init?(_ result: UploadResult) {
        switch result {
        case .failed(let failure): self = .failed(failure)
        case .sent, .alreadySent, .skipped(.taken), .skipped(.gone), .skipped(.stopped): return nil
        case .skipped(let reason): self = .notSent(reason: "\(reason)")
        }
    }
}

extension CrashReporter {
    private static let longestPauseSeconds = 0.5

    /// Looks at ever longer intervals: another process, such as the service, may send the report.
    package func delivery(
        of report: Epitaph.ID, within limit: Duration, isCancelled: () -> Bool = { false }
    ) throws(Epitaph.DatabaseError) -> Epitaph.Delivery {
        let deadline = ContinuousClock.now + limit
        let pause = WakeSignal()
        var pauseSeconds = 0.01
        while true {
            // Before the database: what a pass sends meanwhile is not in the way.
            let result = RunningUploads.shared.result(of: report, in: databasePath)
            if let serverID = try serverID(of: report) { return .sent(serverID: serverID) }
            if let result { return result }
            let left = deadline - .now
            guard left > .zero, !isCancelled() else { return .waiting }
            pause.wait(seconds: min(pauseSeconds, left.inSeconds))
            pauseSeconds = min(pauseSeconds * 2, Self.longestPauseSeconds)
        }
    }

    private func serverID(of report: Epitaph.ID) throws(Epitaph.DatabaseError) -> String? {
        do throws(DatabaseError) {
            return try withDatabase { (database) throws(DatabaseError) in
                let report = try database.report(report)
                return report.isUploaded ? report.serverID : nil
            }
        } catch .notFound {
            return nil
        }
    }
}
