// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphUpload
import EpitaphValues
import Synchronization

/// The uploads of this process that wait for their next pass, and what the latest passes found.
/// Whoever files a report or allows one to be sent wakes the uploads; the limits of delivery hold
/// as before.
final class RunningUploads: Sendable {
    static let shared = RunningUploads()

    private struct State {
        var waiting: [(databasePath: String, wake: WakeSignal)] = []
        /// Of the latest pass, for reports that are not at the server.
        var results: [(databasePath: String, report: Epitaph.ID, result: Delivery)] = []
    }

    private let state = Mutex(State())
    private static let resultLimit = 256

    func add(_ wake: WakeSignal, for databasePath: String) {
        state.withLock { $0.waiting.append((databasePath, wake)) }
    }

    func remove(_ wake: WakeSignal) {
        state.withLock { $0.waiting.removeAll { $0.wake === wake } }
    }

    /// There may be something to send in this database. What earlier passes found says no more
    /// about its reports.
    func wake(for databasePath: String) {
        state.withLock { state in
            state.results.removeAll { $0.databasePath == databasePath }
            for uploads in state.waiting where uploads.databasePath == databasePath {
                uploads.wake.give()
            }
        }
    }

    /// A pass has done what it can for a report.
    func note(_ result: UploadResult, of report: Epitaph.ID, in databasePath: String) {
        state.withLock { state in
            state.results.removeAll { $0.report == report && $0.databasePath == databasePath }
            if let delivery = Delivery(result) {
                state.results.append((databasePath, report, delivery))
                if state.results.count > Self.resultLimit { state.results.removeFirst() }
            }
        }
    }

    /// Nil if no pass tried it yet, or if it was sent, which the database knows.
    func result(of report: Epitaph.ID, in databasePath: String) -> Delivery? {
        state.withLock { state in
            state.results.first { $0.report == report && $0.databasePath == databasePath }?.result
        }
    }
}
