// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphValues

extension Epitaph {
    package struct PendingReports: Sendable, Equatable {
        package var reports: [PendingReport]
        /// Files that look like reports but cannot be used: a sentence with the name of each.
        package var problems: [String]

        package init(_ reports: [PendingReport] = [], problems: [String] = []) {
            self.reports = reports
            self.problems = problems
        }
    }

    /// A report that waits to be sent.
    public struct PendingReport: Sendable, Equatable {
        /// The report's id, which is also its minidump's name.
        public var uuid: Epitaph.ID
        /// The path of its minidump, for messages and for programs that want to read it. The
        /// minidump is not opened by this path for sending, so changing it has no effect.
        public var minidumpPath: String
        /// Whether a person requested this report: it is sent even if uploads are disabled.
        public var isExplicitlyRequested: Bool
        /// How often it was tried.
        public var attempts: Int
        /// When it was last tried; nil if it never was.
        public var lastAttempt: Timestamp?
        /// When it was filed.
        public var creationTime: Timestamp
        /// What is known about its delivery.
        public var state: DeliveryState

        /// A report with these facts, by default one that was never tried.
        public init(
            uuid: Epitaph.ID, minidumpPath: String, isExplicitlyRequested: Bool = false,
            attempts: Int = 0,
            lastAttempt: Timestamp? = nil, creationTime: Timestamp = .distantPast,
            state: DeliveryState = DeliveryState()
        ) {
            self.uuid = uuid
            self.minidumpPath = minidumpPath
            self.isExplicitlyRequested = isExplicitlyRequested
            self.attempts = attempts
            self.lastAttempt = lastAttempt
            self.creationTime = creationTime
            self.state = state
        }

        var jitter: Double {
            Double(uuid.lastByte) / 255
        }
    }
}
