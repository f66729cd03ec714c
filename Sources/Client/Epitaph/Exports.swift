// SPDX-License-Identifier: Apache-2.0

@_exported import EpitaphCapture
import EpitaphDatabase
@_exported import EpitaphEvents
import EpitaphHTTP
import EpitaphMinidump
import EpitaphSystem
import EpitaphUpload

@_exported import struct EpitaphDatabase.AttachedFile
@_exported import enum EpitaphDatabase.AttachmentProblem
@_exported import enum EpitaphDatabase.DatabaseError
@_exported import enum EpitaphDatabase.LaunchEnd
@_exported import struct EpitaphDatabase.PrunePolicy
@_exported import struct EpitaphDatabase.PruneRemoval
@_exported import struct EpitaphDatabase.RecordedLaunch
// An alias cannot name a type of a module that has a type of the module's own name.
@_exported import struct FoundationEssentials.Date
@_exported import struct FoundationEssentials.UUID

// So that a program that imports Epitaph alone can name what it hands over and gets back.

/// What must not leave the machine; docs/scrubbing.md.
public typealias ScrubbingRules = EpitaphMinidump.ScrubbingRules
/// Rate, retries, and how many reports are kept.
public typealias UploadLimits = EpitaphUpload.UploadLimits
/// Takes part in the decisions about reports and learns the results.
public typealias UploadDelegate = EpitaphUpload.UploadDelegate
/// Says whether now is a time to send.
public typealias UploadGate = EpitaphUpload.UploadGate
/// The answer of an `UploadGate`.
public typealias GateAnswer = EpitaphUpload.GateAnswer
/// Asks the user whether a report may be sent.
public typealias UploadConfirmation = EpitaphUpload.UploadConfirmation
/// The answer of the user.
public typealias ConfirmationAnswer = EpitaphUpload.ConfirmationAnswer
/// A report that waits to be sent.
public typealias PendingReport = EpitaphUpload.PendingReport
/// What is sent of a report: a delegate may change it.
public typealias OutgoingReport = EpitaphUpload.OutgoingReport
/// A file that is sent with a report.
public typealias OutgoingAttachment = EpitaphUpload.OutgoingAttachment
/// The bytes of a minidump or an attachment that is sent.
/// The HTTP request of a report: a delegate may change it.
public typealias UploadRequest = EpitaphHTTP.UploadRequest
/// Why an attempt to send a report failed.
public typealias UploadFailure = EpitaphUpload.UploadFailure
/// Whether a delegate lets a report be sent in this pass.
public typealias SendVerdict = EpitaphUpload.SendVerdict
/// When a report is tried again.
public typealias NextTry = EpitaphUpload.NextTry
/// What makes a report as large as it is, in bytes.
public typealias ReportSizes = EpitaphUpload.ReportSizes
/// Certificates, proxy and limits of all requests.
public typealias TransportOptions = EpitaphHTTP.TransportOptions
/// Why a request could not be made or sent.
public typealias TransportError = EpitaphHTTP.TransportError
/// A system call that failed.
public typealias SystemError = EpitaphSystem.SystemError

/// A kind of collector; docs/destinations.md.
/// A destination as an operator writes it, in a line.
public typealias DestinationSpecification = EpitaphUpload.DestinationSpecification
/// What else can be chosen about a destination.
public typealias DestinationOptions = EpitaphUpload.DestinationOptions
/// Why a destination cannot be used.
public typealias DestinationError = EpitaphUpload.DestinationError
/// The address, method and headers of such a server's requests.
public typealias RequestTemplate = EpitaphUpload.RequestTemplate
/// A header line of a request.
public typealias HTTPHeader = EpitaphHTTP.HTTPHeader
/// The bytes of a request that a destination of your own makes.
public typealias BodySource = EpitaphHTTP.BodySource
/// What a server answered.
public typealias UploadResponse = EpitaphHTTP.UploadResponse
/// Whether bodies are sent compressed.
public typealias BodyCompression = EpitaphHTTP.BodyCompression
/// When a request is given up.
public typealias TimeLimits = EpitaphHTTP.TimeLimits
/// A proxy that requests go through.
public typealias ProxyServer = EpitaphHTTP.ProxyServer
/// The address of a collector, checked.
public typealias UploadURL = EpitaphHTTP.UploadURL

/// A pattern of file names, as rules for logs have them; docs/monitoring.md.
public typealias GlobPattern = EpitaphEvents.GlobPattern
/// Which names are scrubbed.
public typealias KeyRules = EpitaphMinidump.KeyRules
/// A name, in which `*` stands for any letters.
public typealias KeyPattern = EpitaphMinidump.KeyPattern
/// A part of a minidump that can be left out.
public typealias ReportPart = EpitaphMinidump.ReportPart
/// Sends log files that were rotated; docs/logs.md.
public typealias LogUploader = EpitaphEvents.LogUploader
/// How rotated logs are sent.
public typealias LogUploadOptions = EpitaphEvents.LogUploadOptions
/// Learns what became of rotated logs.
public typealias LogUploadDelegate = EpitaphEvents.LogUploadDelegate
