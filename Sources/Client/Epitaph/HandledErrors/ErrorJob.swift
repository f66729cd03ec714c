// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Receives the result of a requested report, once: on the thread that makes reports, on the
    /// calling one if nothing is to be filed, or on one of its own if `stop` dropped the report.
    public typealias HandledErrorCompletion =
        @Sendable (Result<HandledErrorOutcome, Refusal>) -> Void

    package struct HandledErrorNotice: Sendable, Equatable {
        package let error: HandledError
        package let reportID: Epitaph.ID?
        /// 1, or the number of errors that followed a reported one.
        package let count: Int
    }

    /// Learns of each report about an error, not of files alone, on the thread that makes them.
    package typealias HandledErrorObserver = @Sendable (HandledErrorNotice) -> Void
}

enum ErrorSubject: Sendable {
    case error(any Error)
    case message(String)
    case exception(ExceptionModel)
    case attachments

    /// Whether similar errors may be counted as one. Files differ each time.
    var isCountable: Bool {
        if case .attachments = self { false } else { true }
    }

    /// Equal for errors of one kind. Uses only values that are quick to read.
    var kind: UInt64 {
        var hasher = Hasher()
        switch self {
        case .error(let error):
            hasher.combine(ObjectIdentifier(Swift.type(of: error)))
            // For an enum, this is the case.
            hasher.combine(error._code)
        case .message: hasher.combine(1)
        case .exception(let model): hasher.combine(model.type)
        case .attachments: hasher.combine(2)
        }
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }

    /// The full text. Calls the error's own description, which may take time.
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

struct ErrorPlace: Sendable {
    let fileID: StaticString
    let line: UInt

    init(_ fileID: StaticString, _ line: UInt) {
        self.fileID = fileID
        self.line = line
    }

    /// Async functions need the place in the key: their stack shows what runs them, not who called.
    func mixed(into key: UInt64) -> UInt64 {
        let text = UInt64(UInt(bitPattern: fileID.utf8Start))
        return (key ^ text) &* 0x9e37_79b9_7f4a_7c15 ^ UInt64(line)
    }
}

struct ErrorJob: Sendable {
    var id: Epitaph.ID
    var key: UInt64?
    var subject: ErrorSubject
    var properties: [String: String]
    var attachments: [ErrorAttachment]
    var place: ErrorPlace?
    /// Nanoseconds since 1970.
    var timeNanoseconds: UInt64
    var stack: CallerStack?
    var scope: CallerScope?
    var capture: PendingSnapshot?
    var followUp: FloodControl.FollowUp?
    var repeats: [RepeatedError] = []
    var completion: HandledErrorCompletion?
}

extension ErrorJob {
    /// For errors that came after a first one, only what they have in common with it.
    var describedError: HandledError {
        let error = subject.described(properties)
        guard let followUp else { return error }
        let seconds = followUp.seconds
        return HandledError(
            type: error.type,
            message: "\(followUp.count) more of the same place within \(seconds) s",
            domain: error.domain, code: error.code)
    }
}
