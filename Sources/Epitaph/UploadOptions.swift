// SPDX-License-Identifier: Apache-2.0

import HTTPTransport
import ReportDatabase
import ReportScrubbing
import ReportUpload

// An alias cannot name a type of a module that has a type of the module's own name.
@_exported import struct ReportDatabase.AttachedFile
@_exported import enum ReportDatabase.AttachmentProblem
@_exported import struct ReportDatabase.PrunePolicy
@_exported import struct ReportDatabase.PruneRemoval

/// How reports are sent.
public struct UploadOptions: Sendable {
    /// Rate, retries, and how many reports are kept; names and defaults are Backtrace's.
    public var limits = UploadLimits()
    /// Takes part in the decisions and learns the results. Called on the upload thread.
    public var delegate: (any UploadDelegate)?
    /// Can postpone a report, for example on battery or outside the maintenance window.
    public var gate: UploadGate?
    /// Asks the user about each report while uploads are not enabled.
    public var confirmation: UploadConfirmation?
    /// Called last; may change what is sent.
    public var transform: (@Sendable (inout OutgoingReport) throws(TransportError) -> Void)?
    /// What must not leave the machine; removed after `transform`.
    public var scrubbing = ScrubbingRules()
    /// Certificates and proxies.
    public var transport = TransportOptions()
    /// The most an attachment may hold, bytes.
    public var attachmentLimitBytes = AttachmentLimit.defaultBytes
    /// How long the thread waits in a row while nothing can be sent, before it gives up until the
    /// next pass. Seconds.
    public var patienceSeconds = 600.0
    /// Seconds from the end of a pass to the beginning of the next, at least 1; nil for a single
    /// pass. A daemon that runs for months wants passes: a report that could not be sent is tried
    /// again in a later one.
    public var repeatsAfterSeconds: Double?

    /// One pass with the standard limits and nothing scrubbed.
    public init() {}

    var rules: DeliveryRules {
        var rules = DeliveryRules()
        rules.limits = limits
        rules.patienceSeconds = patienceSeconds
        rules.attachmentLimitBytes = attachmentLimitBytes
        return rules
    }

    var callbacks: UploadCallbacks {
        var callbacks = UploadCallbacks()
        callbacks.delegate = delegate
        callbacks.gate = gate
        callbacks.confirmation = confirmation
        if let transform { callbacks.transform = transform }
        callbacks.scrub(by: scrubbing)
        return callbacks
    }

    /// Which reports the limits let stay.
    var prunePolicy: PrunePolicy {
        PrunePolicy(
            maxRecordCount: limits.maxRecordCount, maxDatabaseSizeMB: limits.maxDatabaseSize)
    }
}

// So that a program that imports Epitaph alone can name what it hands over.
/// What must not leave the machine; docs/scrubbing.md.
public typealias ScrubbingRules = ReportScrubbing.ScrubbingRules
/// Rate, retries, and how many reports are kept.
public typealias UploadLimits = ReportUpload.UploadLimits
/// Takes part in the decisions about reports and learns the results.
public typealias UploadDelegate = ReportUpload.UploadDelegate
/// Says whether now is a time to send.
public typealias UploadGate = ReportUpload.UploadGate
/// The answer of an `UploadGate`.
public typealias GateAnswer = ReportUpload.GateAnswer
/// Asks the user whether a report may be sent.
public typealias UploadConfirmation = ReportUpload.UploadConfirmation
/// The answer of the user.
public typealias ConfirmationAnswer = ReportUpload.ConfirmationAnswer
/// A report that waits to be sent.
public typealias PendingReport = ReportUpload.PendingReport
/// What is sent of a report: a delegate may change it.
public typealias OutgoingReport = ReportUpload.OutgoingReport
/// A file that is sent with a report.
public typealias OutgoingAttachment = ReportUpload.OutgoingAttachment
/// The bytes of a minidump or an attachment that is sent.
public typealias OutgoingContent = ReportUpload.OutgoingContent
/// The HTTP request of a report: a delegate may change it.
public typealias UploadRequest = ReportUpload.UploadRequest
/// Why an attempt to send a report failed.
public typealias UploadFailure = ReportUpload.UploadFailure
/// Whether a delegate lets a report be sent in this pass.
public typealias SendVerdict = ReportUpload.SendVerdict
/// When a report is tried again.
public typealias NextTry = ReportUpload.NextTry
/// What makes a report as large as it is, in bytes.
public typealias ReportSizes = ReportUpload.ReportSizes
/// A kind of collector; docs/destinations.md.
public typealias ReportDestination = ReportUpload.ReportDestination
/// Certificates, proxy and limits of all requests.
public typealias TransportOptions = HTTPTransport.TransportOptions
