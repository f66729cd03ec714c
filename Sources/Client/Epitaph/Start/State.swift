// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// What Epitaph does in this process.
    public enum State: Sendable, Equatable, CustomStringConvertible {
        /// `start` has not been called.
        case notStarted
        /// Crashes are captured.
        case running
        /// Somebody chose that crashes are not captured. `isEnabled` can change that.
        case disabled
        /// Crashes are not captured; the sentence says why. The program is as before the start.
        case failed(reason: String)
        /// `stop` was called. Epitaph can be started again.
        case stopped

        /// The state as a sentence without a full stop.
        public var description: String {
            switch self {
            case .notStarted: "crashes are not captured: Epitaph has not been started"
            case .running: "crashes are captured"
            case .disabled: "crashes are not captured: that is disabled"
            case .failed(let reason): "crashes are not captured: \(reason)"
            case .stopped: "crashes are not captured: Epitaph was stopped"
            }
        }
    }
}
