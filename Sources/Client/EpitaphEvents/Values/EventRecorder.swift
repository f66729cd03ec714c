// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Accepts events. Code that produces events needs nothing else of the log.
    package protocol EventRecorder: Sendable {
        /// Records something that happened now. From any thread, but not from a signal handler.
        /// Does not wait for the disk or the network.
        ///
        /// - Returns: false if the event was dropped; the log has counted it.
        @discardableResult
        func record(_ payload: EventPayload) -> Bool
    }
}
