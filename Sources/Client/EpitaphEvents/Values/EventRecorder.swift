// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Accepts events from code that needs nothing else of the log.
    package protocol EventRecorder: Sendable {
        /// From any thread, but not from a signal handler. Does not wait for disk or network.
        /// Returns false if the event was dropped; the log has counted it.
        @discardableResult
        func record(_ payload: EventPayload) -> Bool
    }
}
