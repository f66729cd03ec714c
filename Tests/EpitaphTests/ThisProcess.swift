// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport

/// Epitaph starts once in a process, and suites run side by side: a test that starts it here is the
/// only one meanwhile.
enum ThisProcess {
    private static let isTaken = Mutex(false)
    private static let deadlineSeconds = 300.0

    struct Occupied: Error {}

    /// Waits until no other test has Epitaph started.
    static func claim() throws {
        let isOurs = eventually(withinSeconds: deadlineSeconds) {
            isTaken.withLock { isTaken in
                defer { isTaken = true }
                return !isTaken
            }
        }
        guard isOurs else { throw Occupied() }
    }

    /// To be called when Epitaph is stopped and the test has finished with it.
    static func release() {
        isTaken.withLock { $0 = false }
    }
}
