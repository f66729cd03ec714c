// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ReportDatabase

/// Has a say in what is sent and hears what became of it. Every call comes on the uploader's
/// thread, one at a time, and delays the next report while it runs.
public protocol UploadDelegate: Sendable {
    /// Whether to send this report at all. One that is not stays pending, and is asked for again in
    /// the next pass.
    func shouldProcess(_ report: PendingReport) -> Bool

    /// May change what goes out, annotations, messages and attachments, and may keep it: `.keep`
    /// leaves the report pending. Called for each try, after its attempt has been written down.
    func willSend(_ report: inout OutgoingReport) -> SendVerdict

    /// May change headers and the URL's path and query, and may keep the report. A request to
    /// another server than the destination's is not sent.
    func willSend(_ request: inout UploadRequest, for report: PendingReport) -> SendVerdict

    /// The server took the report.
    func didSucceed(_ report: PendingReport, serverID: String)

    /// A try did not succeed.
    func didFail(_ report: PendingReport, _ failure: UploadFailure, next: NextTry)

    /// Reports wait because so many were sent within the last minute. None is dropped.
    func didReachLimit(_ limits: UploadLimits, waitingSeconds: Double)

    /// The server finds the report too large, but may take it without its attachments. Nil leaves
    /// the choice open: see `ReportDatabase.chooseAttachments`.
    func shouldLeaveOutAttachments(_ report: PendingReport, _ sizes: ReportSizes) -> Bool?

    /// An attachment does not go with its report; the rest does.
    func didLeaveOut(_ problem: AttachmentProblem, of report: PendingReport)
}

public enum SendVerdict: Sendable, Equatable {
    case send
    /// Not in this pass.
    case keep
}

/// When a report is tried again.
public enum NextTry: Sendable, Equatable {
    /// In this pass, after so many seconds.
    case soon(seconds: Double)
    /// In a later pass.
    case later
    /// When somebody asks for it.
    case onRequest
}

extension UploadDelegate {
    public func shouldProcess(_ report: PendingReport) -> Bool { true }
    public func willSend(_ report: inout OutgoingReport) -> SendVerdict { .send }
    public func willSend(
        _ request: inout UploadRequest, for report: PendingReport
    ) -> SendVerdict { .send }
    public func didSucceed(_ report: PendingReport, serverID: String) {}
    public func didFail(_ report: PendingReport, _ failure: UploadFailure, next: NextTry) {}
    public func didReachLimit(_ limits: UploadLimits, waitingSeconds: Double) {}
    public func shouldLeaveOutAttachments(
        _ report: PendingReport, _ sizes: ReportSizes
    ) -> Bool? { nil }
    public func didLeaveOut(_ problem: AttachmentProblem, of report: PendingReport) {}
}

/// Whoever has a say in a pass.
public struct UploadCallbacks: Sendable {
    public var delegate: (any UploadDelegate)?
    public var gate: UploadGate?
    public var confirmation: UploadConfirmation?
    /// The last to change what goes out, after the delegate: for taking out what must not leave.
    /// What it throws keeps the report from being sent.
    public var transform: @Sendable (inout OutgoingReport) throws(TransportError) -> Void = { _ in }

    public init() {}
}
