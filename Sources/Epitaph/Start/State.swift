// SPDX-License-Identifier: Apache-2.0

extension Epitaph {
    /// What Epitaph does in this process.
    public enum State: Sendable, Equatable, CustomStringConvertible {
        /// `start` was not called.
        case notStarted
        /// Crashes are captured.
        case running
        /// Somebody chose that crashes are not captured. `isEnabled` changes that.
        case disabled
        /// Crashes are not captured, because of what the sentence says. The program is as it was
        /// before the start.
        case failed(reason: String)
        /// `stop` was called. It can be started again.
        case stopped

        /// A sentence about it, without a full stop.
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
