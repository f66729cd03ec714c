// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphUpload
import EpitaphValues

/// The uploads of this process that wait for their next pass, and the results of the latest passes.
/// Whoever files a report or allows one to be sent wakes the uploads; the limits of delivery hold.
final class RunningUploads: Sendable {
    static let shared = RunningUploads()

    private struct State {
        var waiting: [(databasePath: String, wake: WakeSignal)] = []
        var results: [(databasePath: String, report: Epitaph.ID, result: Delivery)] = []
    }

    private let state = ForkSafeMutex(State())
    private static let resultLimit = 256

    func add(_ wake: WakeSignal, for databasePath: String) {
        state.withLock { $0.waiting.append((databasePath, wake)) }
    }

    func remove(_ wake: WakeSignal) {
        state.withLock { $0.waiting.removeAll { $0.wake === wake } }
    }

    /// There may be something to send; results of earlier passes no longer count.
    func wake(for databasePath: String) {
        state.withLock { state in
            state.results.removeAll { $0.databasePath == databasePath }
            for uploads in state.waiting where uploads.databasePath == databasePath {
                uploads.wake.give()
            }
        }
    }

    func note(_ result: UploadResult, of report: Epitaph.ID, in databasePath: String) {
        state.withLock { state in
            state.results.removeAll { $0.report == report && $0.databasePath == databasePath }
            if let delivery = Delivery(result) {
                state.results.append((databasePath, report, delivery))
                if state.results.count > Self.resultLimit { state.results.removeFirst() }
            }
        }
    }

    func result(of report: Epitaph.ID, in databasePath: String) -> Delivery? {
        state.withLock { state in
            state.results.first { $0.report == report && $0.databasePath == databasePath }?.result
        }
    }
}
