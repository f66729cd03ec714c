// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What is learned of a report that was asked for. Called once, on the thread that makes the
/// reports, or on the calling one where nothing is to be filed. What `ErrorReports.stop` leaves out
/// is told on a thread of its own.
public typealias HandledErrorCompletion =
    @Sendable (Result<HandledErrorOutcome, HandledErrorFailure>) -> Void

/// What a program hands over.
enum ErrorSubject: Sendable {
    case error(any Error)
    case message(String)
    case exception(ExceptionModel)
    /// Files and nothing else.
    case attachments

    /// Whether one may stand for many. Files are each time others.
    var isCountable: Bool {
        if case .attachments = self { false } else { true }
    }

    /// The same for errors of one kind: what is cheap to ask of them, and says which they are.
    var kind: UInt64 {
        var hasher = Hasher()
        switch self {
        case .error(let error):
            hasher.combine(ObjectIdentifier(Swift.type(of: error)))
            // Of an enum: which case it is.
            hasher.combine(error._code)
        case .message: hasher.combine(1)
        case .exception(let model): hasher.combine(model.type)
        case .attachments: hasher.combine(2)
        }
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }

    /// All that is said of it: an error's description is asked for, which may take its time.
    func described(_ properties: [String: String]) -> HandledError {
        switch self {
        case .error(let error): HandledError(error, properties: properties)
        case .message(let text):
            HandledError(type: "message", message: text, properties: properties)
        case .exception(let model):
            HandledError(
                type: model.type, message: model.message, stackTrace: model.stackTrace,
                properties: properties)
        case .attachments:
            HandledError(type: "attachments", message: "", properties: properties)
        }
    }
}

/// Where a program reports an error, as its compiler says.
struct ErrorPlace: Sendable {
    let fileID: StaticString
    let line: UInt

    init(_ fileID: StaticString, _ line: UInt) {
        self.fileID = fileID
        self.line = line
    }

    /// Changes with the place. Async functions need it: what runs them is on the stack, and not who
    /// called them.
    func mixed(into key: UInt64) -> UInt64 {
        let text = UInt64(UInt(bitPattern: fileID.utf8Start))
        return (key ^ text) &* 0x9e37_79b9_7f4a_7c15 ^ UInt64(line)
    }
}

/// A report that is to be made.
struct ErrorJob: Sendable {
    /// The id that the report will have.
    var id: UUID
    /// Which kind it is of; nil for one that is like no other.
    var key: UInt64?
    var subject: ErrorSubject
    var properties: [String: String]
    var attachments: [ErrorAttachment]
    var place: ErrorPlace?
    /// Nanoseconds since 1970.
    var timeNanoseconds: UInt64
    var stack: CallerStack?
    /// All threads, where they were asked for.
    var capture: PendingSnapshot?
    var followUp: FloodControl.FollowUp?
    var completion: HandledErrorCompletion?
}

/// A handled error of the recent past, for inspection within the program.
public struct RecentHandledError: Sendable, Equatable {
    /// The report's id, whether or not it could be filed.
    public let id: UUID
    /// When it happened.
    public let date: Date
    /// What was said of it.
    public let error: HandledError
    /// How many of the same type came from the same place and got no report of their own.
    public internal(set) var repeatCount: Int
    /// Why there is no report; nil where there is one.
    public let failure: HandledErrorFailure?
}
