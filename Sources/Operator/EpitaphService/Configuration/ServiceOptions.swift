// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase

package struct ServiceOptions: Sendable, Equatable {
    package enum Log: String, Sendable, CaseIterable {
        /// The journal if standard error is its stream, otherwise standard error.
        case auto
        /// The journal's socket; standard error while there is none.
        case journal
        case stderr
    }

    package var log = Log.auto
    /// A file for node_exporter's textfile collector; nil for none.
    package var metricsFile: String?
    package var metricsInterval = 60.0
    /// Where systemd-coredump stores cores. Reports are made of them; nil makes none.
    package var coreDirectory: String?

    /// coredump.conf(5)
    package static let usualCoreDirectory = "/var/lib/systemd/coredump"

    package init() {}
}

package struct WatchedOptions: Sendable, Equatable {
    /// As in docs/destinations.md; nil sends nothing. May contain `{key}`.
    package var destination: String?
    /// Its contents replace `{key}` in the destination.
    package var keyFile: String?
    /// One header per line, for `put:` and `post:`.
    package var headersFile: String?
    /// Whether reports may be sent; nil leaves it to the database.
    package var uploadsEnabled: Bool?
    package var reportsPerMinute = 30
    package var uploadRetries = 3
    /// In seconds; 0 for the destination's default.
    package var uploadTimeout = 0.0
    package var proxy: String?
    /// Certificates trusted instead of the system's.
    package var caFile: String?
    package var clientCertificate: String?
    /// Nil if the key is in the certificate's file.
    package var clientKeyFile: String?
    package var scrubRules: String?
    package var leavesOutAttachments = false
    package var processesDumps = true
    package var crashDirectory: String?
    package var sweepInterval = 600.0
    /// The group that may read reports; nil changes nothing.
    package var readingGroup: String?
    /// Added to new reports.
    package var annotations: [String: String] = [:]
    /// 0 for no limit.
    package var maxReports = 500
    /// In units of 1,048,576 bytes; 0 for no limit.
    package var maxDatabaseMB = 1024
    /// Maximum age of reports that need not be sent, in days; 0 for no limit.
    package var maxReportDays = 90
    /// The largest file that a program may have attached to its reports, in bytes.
    package var maxAttachmentBytes = AttachmentLimit.defaultBytes

    package init() {}
}
