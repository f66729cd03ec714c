// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// An error that the program handled and reported.
    public struct HandledErrorDetails: EventDetails {
        /// The type of the error, for example `LedgerError`.
        public var errorType: String
        /// The message of the error.
        public var message: String
        /// Equal for errors of the same kind from the same place.
        public var signature: String?
        /// The report of it; nil if it has none.
        public var reportID: Epitaph.ID?
        /// How many such errors this event represents; more than 1 after a flood.
        public var count: Int
        /// What the program adds, as names and values.
        public var properties: [String: Epitaph.Value]

        /// An error with its type and message.
        public init(
            errorType: String, message: String, signature: String? = nil,
            reportID: Epitaph.ID? = nil,
            count: Int = 1, properties: [String: Epitaph.Value] = [:]
        ) {
            self.errorType = errorType
            self.message = message
            self.signature = signature
            self.reportID = reportID
            self.count = count
            self.properties = properties
        }

        public var byteCount: Int {
            errorType.utf8.count + message.utf8.count + (signature?.utf8.count ?? 0)
                + properties.byteCount
        }
    }
}

extension Epitaph {
    /// A crash of an earlier launch that became a report.
    public struct CrashDetails: EventDetails {
        /// The report.
        public var reportID: Epitaph.ID
        /// For example `SIGSEGV`; nil if there was no signal.
        public var signal: String?
        /// The explanation in one line.
        public var headline: String?
        /// Equal for crashes of the same kind in the same place.
        public var signature: String?
        /// How long the launch had been running, in seconds; nil if unknown.
        public var uptimeSeconds: Double?

        /// A crash with its report.
        public init(
            reportID: Epitaph.ID, signal: String? = nil, headline: String? = nil,
            signature: String? = nil,
            uptimeSeconds: Double? = nil
        ) {
            self.reportID = reportID
            self.signal = signal
            self.headline = headline
            self.signature = signature
            self.uptimeSeconds = uptimeSeconds
        }

        public var byteCount: Int {
            (headline?.utf8.count ?? 0) + (signature?.utf8.count ?? 0) + (signal?.utf8.count ?? 0)
        }
    }
}

extension Epitaph {
    /// A queue or worker that made no progress.
    public struct HangDetails: EventDetails {
        /// How a hang ended.
        public enum Outcome: String, Sendable, Codable, CaseIterable {
            /// It was still hanging when this was recorded.
            case ongoing
            /// It works again.
            case recovered
            /// The process died during the hang.
            case died
        }

        /// What hung, for example `main queue`.
        public var subject: String
        /// How long, in seconds, as far as it was observed.
        public var durationSeconds: Double
        /// How it ended.
        public var outcome: Outcome
        /// The report of it; nil if it has none.
        public var reportID: Epitaph.ID?

        /// A hang of `durationSeconds` seconds.
        public init(
            subject: String, durationSeconds: Double, outcome: Outcome, reportID: Epitaph.ID? = nil
        ) {
            self.subject = subject
            self.durationSeconds = durationSeconds
            self.outcome = outcome
            self.reportID = reportID
        }

        public var byteCount: Int { subject.utf8.count }
    }
}
