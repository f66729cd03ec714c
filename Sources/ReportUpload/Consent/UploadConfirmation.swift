// SPDX-License-Identifier: Apache-2.0

/// Asks the user whether a report may be sent, where uploads are not enabled for all. Called on the
/// uploader's thread, which waits for the answer; each report is asked for once.
public typealias UploadConfirmation = @Sendable (PendingReport) -> ConfirmationAnswer

/// What the user says of one report.
public enum ConfirmationAnswer: Sendable, Equatable {
    /// This one may go.
    case send
    /// This one is not sent, and not asked for again: it is filed as completed, where a person can
    /// still look at it or ask for its upload.
    case dontSend
    /// This one and all from now on may go: enables uploads for good.
    case always
    /// Nobody answered: it stays pending, and the next pass asks again.
    case later
}
