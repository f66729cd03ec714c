// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import Synchronization

/// The uploads of this process that wait for their next pass. Whoever files a report or allows one
/// to be sent wakes them; the limits of delivery hold as before.
final class RunningUploads: Sendable {
    static let shared = RunningUploads()

    private let waiting = Mutex<[(databasePath: String, wake: WakeSignal)]>([])

    func add(_ wake: WakeSignal, for databasePath: String) {
        waiting.withLock { $0.append((databasePath, wake)) }
    }

    func remove(_ wake: WakeSignal) {
        waiting.withLock { $0.removeAll { $0.wake === wake } }
    }

    /// There may be something to send in this database.
    func wake(for databasePath: String) {
        waiting.withLock { waiting in
            for uploads in waiting where uploads.databasePath == databasePath {
                uploads.wake.give()
            }
        }
    }
}
