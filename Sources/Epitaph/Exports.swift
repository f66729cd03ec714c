// SPDX-License-Identifier: Apache-2.0

@_exported import EpitaphCapture
@_exported import Events
import HTTPTransport
@_exported import Hangs
import LinuxSystem
import LogUpload
@_exported import MemoryPressure
@_exported import Metrics
@_exported import Monitoring
import ReportDatabase
import ReportScrubbing
import ReportUpload
@_exported import Sessions
@_exported import SystemEvents

// An alias cannot name a type of a module that has a type of the module's own name.
@_exported import struct FoundationEssentials.Date
@_exported import struct FoundationEssentials.UUID
@_exported import struct ReportDatabase.AttachedFile
@_exported import enum ReportDatabase.AttachmentProblem
@_exported import enum ReportDatabase.DatabaseError
@_exported import enum ReportDatabase.LaunchEnd
@_exported import struct ReportDatabase.PrunePolicy
@_exported import struct ReportDatabase.PruneRemoval
@_exported import struct ReportDatabase.RecordedLaunch

// So that a program that imports Epitaph alone can name what it hands over and gets back.

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
/// Certificates, proxy and limits of all requests.
public typealias TransportOptions = HTTPTransport.TransportOptions
/// Why a request could not be made or sent.
public typealias TransportError = ReportUpload.TransportError
/// A system call that failed.
public typealias SystemError = LinuxSystem.SystemError

/// A kind of collector; docs/destinations.md.
public typealias ReportDestination = ReportUpload.ReportDestination
/// A destination as an operator writes it, in a line.
public typealias DestinationSpecification = ReportUpload.DestinationSpecification
/// What else can be chosen about a destination.
public typealias DestinationOptions = ReportUpload.DestinationOptions
/// Why a destination cannot be used.
public typealias DestinationError = ReportUpload.DestinationError
/// A collector that takes the forms of Crashpad and Breakpad.
public typealias UploadDestination = ReportUpload.UploadDestination
/// A Sentry project.
public typealias SentryDestination = ReportUpload.SentryDestination
/// A Backtrace project.
public typealias BacktraceDestination = ReportUpload.BacktraceDestination
/// A Socorro collector.
public typealias SocorroDestination = ReportUpload.SocorroDestination
/// A bucket of S3 or of a store that speaks it.
public typealias BucketDestination = ReportUpload.BucketDestination
/// The address of a bucket, and where its key comes from.
public typealias BucketAddress = ReportUpload.BucketAddress
/// A server of one's own that takes minidumps as they are.
public typealias RawDestination = ReportUpload.RawDestination
/// The address, method and headers of such a server's requests.
public typealias RequestTemplate = ReportUpload.RequestTemplate
/// The address of a collector, checked.
public typealias UploadURL = ReportUpload.UploadURL

/// A pattern of file names, as rules for logs have them; docs/monitoring.md.
public typealias GlobPattern = LogUpload.GlobPattern
/// Which names are scrubbed.
public typealias KeyRules = ReportScrubbing.KeyRules
/// A name, in which `*` stands for any letters.
public typealias KeyPattern = ReportScrubbing.KeyPattern
/// A part of a minidump that can be left out.
public typealias ReportPart = ReportScrubbing.ReportPart
/// Sends log files that were rotated; docs/logs.md.
public typealias LogUploader = LogUpload.LogUploader
/// How rotated logs are sent.
public typealias LogUploadOptions = LogUpload.LogUploadOptions
/// Learns what became of rotated logs.
public typealias LogUploadDelegate = LogUpload.LogUploadDelegate
