// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// An error that the program handled and reported.
    public struct HandledErrorDetails: EventDetails {
        /// The type of the error, for example `LedgerError`.
        public var errorType: String
        public var message: String
        /// Equal for errors of the same kind and place.
        public var signature: String?
        /// Its report; nil if it has none.
        public var reportID: Epitaph.ID?
        /// Number of errors that this event stands for; more than 1 after a flood.
        public var count: Int
        /// The program's own properties.
        public var properties: [String: Epitaph.Value]

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

    /// A crash of an earlier launch that became a report.
    public struct CrashDetails: EventDetails {
        public var reportID: Epitaph.ID
        /// For example `SIGSEGV`; nil without a signal.
        public var signal: String?
        /// The one-line explanation.
        public var headline: String?
        /// Equal for crashes of the same kind and place.
        public var signature: String?
        /// Age of the launch at the crash, in seconds; nil if unknown.
        public var uptimeSeconds: Double?

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

    /// A queue or worker that made no progress.
    public struct HangDetails: EventDetails {
        public enum Outcome: String, Sendable, Codable, CaseIterable {
            /// Still hanging when recorded.
            case ongoing
            case recovered
            case died
        }

        /// What hung, for example `main queue`.
        public var subject: String
        /// In seconds, as far as observed.
        public var durationSeconds: Double
        public var outcome: Outcome
        /// Its report; nil if it has none.
        public var reportID: Epitaph.ID?

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
