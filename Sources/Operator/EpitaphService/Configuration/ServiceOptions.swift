// SPDX-License-Identifier: Apache-2.0

/// What the service does as a whole. docs/service.md
package struct ServiceOptions: Sendable, Equatable {
    /// Where events are written.
    package enum Log: String, Sendable, CaseIterable {
        /// To the journal if standard error is its stream, otherwise to standard error.
        case auto
        /// To the journal's socket; to standard error while there is none.
        case journal
        /// To standard error.
        case stderr
    }

    /// Where events are written.
    package var log = Log.auto
    /// A file for node_exporter's textfile collector; nil for none.
    package var metricsFile: String?
    /// How often that file is written, seconds.
    package var metricsInterval = 60.0

    /// The defaults.
    package init() {}
}

/// What the service does with one database. docs/service.md
package struct WatchedOptions: Sendable, Equatable {
    /// A line that docs/destinations.md describes; nil where nothing is sent. May contain `{key}`.
    package var destination: String?
    /// A file whose contents stand for `{key}` in the destination.
    package var keyFile: String?
    /// A file with a header on each line, for `put:` and `post:`.
    package var headersFile: String?
    /// Whether reports may be sent; nil leaves it to the database.
    package var uploadsEnabled: Bool?
    /// Requests in any minute; 0 for any number.
    package var reportsPerMinute = 30
    /// Quick retries of a report.
    package var uploadRetries = 3
    /// After how many seconds a request is given up; 0 for the default of the destination.
    package var uploadTimeout = 0.0
    /// A proxy's URL, or `none`; nil for the environment's.
    package var proxy: String?
    /// Certificates that are trusted instead of the system's.
    package var caFile: String?
    /// What is presented to servers that ask for a certificate.
    package var clientCertificate: String?
    /// The key of that certificate; nil if it is in the same file.
    package var clientKeyFile: String?
    /// Rules of what is removed from what is sent, docs/scrubbing.md.
    package var scrubRules: String?
    /// Whether a report that is too large goes without its attachments.
    package var leavesOutAttachments = false
    /// Whether dumps become reports.
    package var processesDumps = true
    /// Another directory in which dumps wait.
    package var crashDirectory: String?
    /// How often dumps are looked for although nothing was noticed, seconds.
    package var sweepInterval = 600.0
    /// The group that may read reports; nil leaves everything as it is.
    package var readingGroup: String?
    /// Added to new reports.
    package var annotations: [String: String] = [:]
    /// How many reports are kept; 0 for any number.
    package var maxReports = 500
    /// How much room they take, in megabytes of 1,048,576 bytes; 0 for any.
    package var maxDatabaseMB = 1024
    /// How old reports get that need not be sent, days; 0 for any age.
    package var maxReportDays = 90

    /// The defaults.
    package init() {}
}
