// SPDX-License-Identifier: Apache-2.0

import Bytes
import FoundationEssentials

/// What is remembered of a report's delivery beyond Crashpad's metadata: `delivery/<uuid>.json`.
/// Nothing is known of a report without such a file.
public struct DeliveryState: Sendable, Equatable {
    /// The server asked to be left alone until then; whole seconds.
    public var notBefore: Date?
    /// Quick retries that the last pass made of it, after its first try.
    public var quickTries = 0
    /// Tries that said something of the destination and nothing of the report. They count for
    /// nothing when it is worked out when the report is due.
    public var destinationTries = 0
    /// What the last attempt came to; nil before the first.
    public var lastOutcome: Outcome?
    /// The server will not take it: it is not tried again until a person asks for it.
    public var isFinal = false
    /// Whether its attachments are sent with it.
    public var attachments = AttachmentChoice.sent
    /// The user's answer for this very report.
    public var consent: Consent?
    /// What the server calls the report it took. Only there when the report could not be filed as
    /// sent at once: filing it is all that is left to do.
    public var acceptedServerID: String?
    /// Fields of a later version, kept as they are.
    var otherFields: [String: JSONValue] = [:]

    /// The state of a report that was never tried.
    public init() {}

    /// What came of the last try.
    public struct Outcome: Sendable, Equatable {
        /// Whole seconds.
        public let time: Date
        /// Scheme, host and port.
        public let server: String
        /// HTTP status; nil without an answer.
        public let status: Int?
        /// What the server said, or why there is no answer: one line of at most 300 characters.
        public let words: String
        /// Whether any other report would have fared alike: the destination could not be reached,
        /// or refuses every request with this address and key.
        public let concernsDestination: Bool

        /// An outcome; `time` is cut to whole seconds, and `server` and `words` to one line of at
        /// most 300 characters each.
        public init(
            time: Date, server: String, status: Int?, words: String,
            concernsDestination: Bool = false
        ) {
            self.concernsDestination = concernsDestination
            self.time = Date(wholeSeconds: time.wholeSeconds)
            self.server = server.boundedLine
            self.status = status
            self.words = words.boundedLine
        }
    }

    /// Whether attachments are sent with their report.
    public enum AttachmentChoice: String, Sendable, CaseIterable {
        /// They go with the report.
        case sent
        /// The report was too large with them. It waits until one of the others is chosen.
        case offered
        /// It goes without them.
        case leftOut = "left-out"
    }

    /// What the user said about this report.
    public enum Consent: String, Sendable, CaseIterable {
        /// It may be sent.
        case send
        /// It must not be sent.
        case dontSend = "dont-send"
    }

    /// Forgets why the report is not sent: a person asks for it to be tried again now. Its last
    /// outcome and whether the server has it stay.
    public mutating func forgetRefusals() {
        notBefore = nil
        quickTries = 0
        isFinal = false
        consent = nil
    }
}

extension String {
    /// One line of at most 300 characters, for what others said.
    var boundedLine: String {
        String(String.UnicodeScalarView(unicodeScalars.prefix(300))).printable { _ in " " }
    }
}
