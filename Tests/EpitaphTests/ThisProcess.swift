// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Epitaph starts once in a process, and suites run side by side: a test that starts it here is the
/// only one meanwhile.
enum ThisProcess {
    private static let free = DispatchSemaphore(value: 1)
    private static let deadlineSeconds = 300.0

    struct Occupied: Error {}

    /// Waits until no other test has Epitaph started.
    static func claim() throws {
        guard free.wait(timeout: .now() + deadlineSeconds) == .success else { throw Occupied() }
    }

    /// To be called when Epitaph is stopped and nobody asks about it any more.
    static func release() {
        free.signal()
    }
}
