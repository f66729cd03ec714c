// SPDX-License-Identifier: Apache-2.0

/// Says whether now is a time to send: asked before each report, on the uploader's thread. Has to
/// answer at once.
public typealias UploadGate = @Sendable (PendingReport) -> GateAnswer

public enum GateAnswer: Sendable, Equatable {
    case open
    /// Not now, for example on a metered line, on battery, outside the maintenance window.
    ///
    /// - Parameter reason: continues "not sent now: ".
    case closed(reason: String)
}
