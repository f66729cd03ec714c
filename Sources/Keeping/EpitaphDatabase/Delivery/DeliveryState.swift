// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Delivery state beyond Crashpad's metadata, `delivery/<uuid>.json`; no file if untried.
    public struct DeliveryState: Sendable, Equatable {
        /// The server asked for no requests until then; whole seconds.
        public var notBefore: Timestamp?
        /// Quick retries in the last pass, after its first try.
        public var quickTries = 0
        /// Failed tries that were the destination's fault. They do not delay the next try.
        public var destinationTries = 0
        /// The result of the last attempt; nil before the first.
        public var lastOutcome: Outcome?
        /// The server will not accept it: it is not tried again until a person asks for that.
        public var isFinal = false
        /// Whether its attachments are sent with it.
        public var attachments = AttachmentChoice.sent
        /// The user's decision about this report.
        public var consent: Consent?
        /// The server's id for the accepted report, if it could not be filed as sent at once:
        /// filing it is all that is left to do.
        public var acceptedServerID: String?
        /// Fields of a later version, kept unchanged.
        var otherFields: [String: JSONValue] = [:]

        /// The state of a report that was never tried.
        public init() {}

        /// The result of the last try.
        public struct Outcome: Sendable, Equatable {
            /// Whole seconds.
            public let time: Timestamp
            /// Scheme, host and port.
            public let server: String
            /// HTTP status; nil without an answer.
            public let status: Int?
            /// The server's words, or why there is no answer: one line of at most 300 characters.
            public let words: String
            /// Whether any report would have failed: the destination could not be reached, or
            /// rejects every request with this address and key.
            public let concernsDestination: Bool

            /// Cuts `time` to whole seconds, `server` and `words` to a line of 300 characters.
            public init(
                time: Timestamp, server: String, status: Int?, words: String,
                concernsDestination: Bool = false
            ) {
                self.concernsDestination = concernsDestination
                self.time = Timestamp(wholeSeconds: time.wholeSeconds)
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

        /// What the user decided about this report.
        public enum Consent: String, Sendable, CaseIterable {
            /// It may be sent.
            case send
            /// It must not be sent.
            case dontSend = "dont-send"
        }

        /// Clears the reasons not to send the report, because a person asks for a try. Keeps its
        /// last outcome and whether the server has it.
        public mutating func forgetRefusals() {
            notBefore = nil
            quickTries = 0
            isFinal = false
            consent = nil
        }
    }
}

extension String {
    var boundedLine: String {
        String(String.UnicodeScalarView(unicodeScalars.prefix(300))).printable { _ in " " }
    }
}
