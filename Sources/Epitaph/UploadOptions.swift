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
/// What is removed from the copy of a report that is sent.
public typealias ScrubbingRules = ReportScrubbing.ScrubbingRules
/// How much is kept and how often sending is tried.
public typealias UploadLimits = ReportUpload.UploadLimits
/// Has a say in what is sent and hears what became of it.
public typealias UploadDelegate = ReportUpload.UploadDelegate
/// Says before each report whether it may be sent now.
public typealias UploadGate = ReportUpload.UploadGate
/// What an `UploadGate` says.
public typealias GateAnswer = ReportUpload.GateAnswer
/// Asks the user whether a report may be sent, where uploads are not enabled for all.
public typealias UploadConfirmation = ReportUpload.UploadConfirmation
/// What the user says about one report.
public typealias ConfirmationAnswer = ReportUpload.ConfirmationAnswer
/// A report that waits to be sent.
public typealias PendingReport = ReportUpload.PendingReport
/// All that is sent for one report, before a destination makes a request of it.
public typealias OutgoingReport = ReportUpload.OutgoingReport
/// A file that goes with a report.
public typealias OutgoingAttachment = ReportUpload.OutgoingAttachment
/// Bytes in a file or in memory, or made when they are read.
public typealias OutgoingContent = ReportUpload.OutgoingContent
/// One request to a collector.
public typealias UploadRequest = ReportUpload.UploadRequest
/// Why an attempt to send a report did not succeed.
public typealias UploadFailure = ReportUpload.UploadFailure
/// What a delegate decides about a report that is about to be sent.
public typealias SendVerdict = ReportUpload.SendVerdict
/// When a report is tried again.
public typealias NextTry = ReportUpload.NextTry
/// What makes a report as large as it is, in bytes before compression.
public typealias ReportSizes = ReportUpload.ReportSizes
/// A kind of collector: how a report becomes a request there, and how its answers are read.
public typealias ReportDestination = ReportUpload.ReportDestination
/// What all requests of a transport have in common, such as certificates and proxies.
public typealias TransportOptions = HTTPTransport.TransportOptions
