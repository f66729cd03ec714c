// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphHTTP
import EpitaphValues

extension Epitaph {
    /// Takes part in the decisions about reports and learns the results. Called on the uploader's
    /// thread, one call at a time; delays the next report meanwhile.
    public protocol UploadDelegate: Sendable {
        /// Whether this report is wanted at all. If not, it is removed, unless a person requested
        /// it. To keep it for a later pass, return `.keep` from `willSend`.
        func shouldProcess(_ report: PendingReport) -> Bool

        /// May change annotations, messages and attachments before they are sent; `.keep` leaves
        /// the report pending. Called for each try, after the attempt has been recorded.
        func willSend(_ report: inout OutgoingReport) -> SendVerdict

        /// May change headers and the URL's path and query, and may keep the report. A request to
        /// another server than the destination's is not sent.
        func willSend(_ request: inout UploadRequest, for report: PendingReport) -> SendVerdict

        /// The server accepted the report.
        func didSucceed(_ report: PendingReport, serverID: String)

        /// A try did not succeed; another one follows unless `didGiveUp` does.
        func didFail(_ report: PendingReport, _ failure: UploadFailure, next: NextTry)

        /// The last try failed: the report is not sent any more unless a person asks for it.
        func didGiveUp(_ report: PendingReport, _ failure: UploadFailure)

        /// Reports wait because many were sent within the last minute. None is dropped.
        func didReachLimit(_ limits: UploadLimits, waiting time: Duration)

        /// The server finds the report too large, but may take it without its attachments. Nil
        /// leaves the choice open: see `ReportDatabase.chooseAttachments`.
        func shouldLeaveOutAttachments(_ report: PendingReport, _ sizes: ReportSizes) -> Bool?

        /// An attachment is left out of its report; the rest is sent.
        func didLeaveOut(_ problem: AttachmentProblem, of report: PendingReport)
    }

    /// Whether a report is sent in this pass.
    public enum SendVerdict: Sendable, Equatable {
        /// Now.
        case send
        /// Not in this pass.
        case keep
    }

    /// When a report is tried again.
    public enum NextTry: Sendable, Equatable {
        /// In this pass, after this many seconds.
        case soon(seconds: Double)
        /// In a later pass.
        case later
        /// When a person asks for it.
        case onRequest
    }
}

extension UploadDelegate {
    /// True: every report may be sent.
    public func shouldProcess(_ report: Epitaph.PendingReport) -> Bool { true }
    /// `.send`: the report goes out as it is.
    public func willSend(_ report: inout Epitaph.OutgoingReport) -> Epitaph.SendVerdict { .send }
    /// `.send`: the request goes out as it is.
    public func willSend(
        _ request: inout Epitaph.UploadRequest, for report: Epitaph.PendingReport
    ) -> Epitaph.SendVerdict { .send }
    /// Does nothing.
    public func didSucceed(_ report: Epitaph.PendingReport, serverID: String) {}
    /// Does nothing.
    public func didFail(
        _ report: Epitaph.PendingReport, _ failure: Epitaph.UploadFailure, next: Epitaph.NextTry
    ) {}
    /// Does nothing.
    public func didGiveUp(_ report: Epitaph.PendingReport, _ failure: Epitaph.UploadFailure) {}
    /// Does nothing.
    public func didReachLimit(_ limits: Epitaph.UploadLimits, waiting time: Duration) {}
    /// Nil: leaves the choice open.
    public func shouldLeaveOutAttachments(
        _ report: Epitaph.PendingReport, _ sizes: Epitaph.ReportSizes
    ) -> Bool? { nil }
    /// Does nothing.
    public func didLeaveOut(_ problem: Epitaph.AttachmentProblem, of report: Epitaph.PendingReport)
    {}
}

package struct UploadCallbacks: Sendable {
    package var delegate: (any UploadDelegate)?
    package var gate: UploadGate?
    package var confirmation: UploadConfirmation?
    /// Called last, to remove what must not leave the machine. If it throws, nothing is sent.
    package var transform: @Sendable (inout OutgoingReport) throws(TransportError) -> Void = { _ in
    }

    package init() {}
}

extension Epitaph {
    /// Asks the user whether reports may be sent, if uploads are not enabled for all. Called once
    /// in a pass, with all reports that wait for an answer, on the uploader's thread, which waits
    /// for it. To answer later, or each report alone, return `.later` and call `Epitaph.notify`.
    public typealias UploadConfirmation = @Sendable ([PendingReport]) -> ConfirmationAnswer

    /// The user's answer about the reports asked about.
    public enum ConfirmationAnswer: Sendable, Equatable, CaseIterable {
        /// They may go.
        case send
        /// They are removed unsent.
        case dontSend
        /// They are not sent, and the user is not asked again. They are filed as completed, where a
        /// person can still look at them or ask for their upload.
        case keep
        /// They and all from now on may go: enables uploads for good.
        case always
        /// No answer yet: they stay pending, and the next pass asks again.
        case later
    }

    /// Whether reports may be sent now, asked before each on the uploader's thread. Must not wait.
    public typealias UploadGate = @Sendable (PendingReport) -> GateAnswer

    /// Whether now is a time to send.
    public enum GateAnswer: Sendable, Equatable {
        /// Now.
        case open
        /// Not now, for example on a metered line, on battery, outside the maintenance window.
        ///
        /// - Parameter reason: continues "not sent now: ".
        case closed(reason: String)
    }
}
