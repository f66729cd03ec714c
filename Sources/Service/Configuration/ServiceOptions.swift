// SPDX-License-Identifier: Apache-2.0

/// What the service does as a whole. docs/service.md
public struct ServiceOptions: Sendable, Equatable {
    /// Where events are written.
    public enum Log: String, Sendable, CaseIterable {
        /// To the journal if standard error is its stream, otherwise to standard error.
        case auto
        /// To the journal's socket; to standard error while there is none.
        case journal
        /// To standard error.
        case stderr
    }

    /// Where events are written.
    public var log = Log.auto
    /// A file for node_exporter's textfile collector; nil for none.
    public var metricsFile: String?
    /// How often that file is written, seconds.
    public var metricsInterval = 60.0

    /// The defaults.
    public init() {}
}

/// What the service does with one database. docs/service.md
public struct WatchedOptions: Sendable, Equatable {
    /// A line that docs/destinations.md describes; nil where nothing is sent. May contain `{key}`.
    public var destination: String?
    /// A file whose contents stand for `{key}` in the destination.
    public var keyFile: String?
    /// A file with a header on each line, for `put:` and `post:`.
    public var headersFile: String?
    /// Whether reports may be sent; nil leaves it to the database.
    public var uploadsEnabled: Bool?
    /// Requests in any minute; 0 for any number.
    public var reportsPerMinute = 30
    /// Quick retries of a report.
    public var uploadRetries = 3
    /// After how many seconds a request is given up; 0 for the default of the destination.
    public var uploadTimeout = 0.0
    /// A proxy's URL, or `none`; nil for the environment's.
    public var proxy: String?
    /// Certificates that are trusted instead of the system's.
    public var caFile: String?
    /// What is presented to servers that ask for a certificate.
    public var clientCertificate: String?
    /// The key of that certificate; nil if it is in the same file.
    public var clientKeyFile: String?
    /// Rules of what is removed from what is sent, docs/scrubbing.md.
    public var scrubRules: String?
    /// Whether a report that is too large goes without its attachments.
    public var leavesOutAttachments = false
    /// Whether dumps become reports.
    public var processesDumps = true
    /// Another directory in which dumps wait.
    public var crashDirectory: String?
    /// How often dumps are looked for although nothing was noticed, seconds.
    public var sweepInterval = 600.0
    /// The group that may read reports; nil leaves everything as it is.
    public var readingGroup: String?
    /// Added to new reports.
    public var annotations: [String: String] = [:]
    /// How many reports are kept; 0 for any number.
    public var maxReports = 500
    /// How much room they take, in megabytes of 1,048,576 bytes; 0 for any.
    public var maxDatabaseMB = 1024
    /// How old reports get that need not be sent, days; 0 for any age.
    public var maxReportDays = 90

    /// The defaults.
    public init() {}
}
