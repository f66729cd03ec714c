// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import EpitaphHTTP
import EpitaphUpload
import EpitaphValues

extension SettingKey<ServiceOptions> {
    /// The settings of the service, in the order of docs/service.md.
    package static let all: [Self] = [
        .choice("log", \.log, "where events are written") { $0.rawValue },
        .path(
            "metrics_file", \.metricsFile, of: "a file that ends in .prom",
            "figures for node_exporter's textfile collector"
        ).checking { $0 == "none" || $0.hasSuffix(".prom") && !$0.hasSuffix("/.prom") },
        .seconds(
            "metrics_interval", \.metricsInterval, in: 1...3600, "how often that file is written"),
        cores,
    ]

    private static let cores = Self(
        "coredumps", "yes, no, or the absolute path of a directory",
        "whether reports are made of the cores that systemd-coredump stores; yes is "
            + ServiceOptions.usualCoreDirectory,
        text: { options in
            options.coreDirectory == ServiceOptions.usualCoreDirectory
                ? "yes" : options.coreDirectory ?? "no"
        },
        apply: { text, options in
            guard let isOn = flag(text) else {
                guard text.hasPrefix("/") else { return false }
                options.coreDirectory = text
                return true
            }
            options.coreDirectory = isOn ? ServiceOptions.usualCoreDirectory : nil
            return true
        })
}

extension SettingKey<WatchedOptions> {
    /// The settings of databases, in the order of docs/service.md, without `annotation.NAME`.
    package static let all: [Self] = delivery + connection + reports

    private static let delivery: [Self] = [
        .text(
            "destination", \.destination, "a line that docs/destinations.md describes, or none",
            "where reports are sent; `{key}` in it stands for the contents of `key_file`",
            isSecret: true, isPermitted: isDestination),
        .path(
            "key_file", \.keyFile, of: "a file", mayBeCredential: true,
            "what `{key}` stands for in the destination; for s3: the file with the keys"),
        .path(
            "headers_file", \.headersFile, of: "a file", mayBeCredential: true,
            "headers for put:, post: and otlp: destinations, one a line"),
        .flag(
            "uploads", \.uploadsEnabled, unset: "ask",
            "whether reports may be sent; ask leaves it to what is kept in the database"),
        .path(
            "scrub_rules", \.scrubRules, of: "a file",
            "what is removed before sending, docs/scrubbing.md"),
        .flag(
            "without_attachments", \.leavesOutAttachments,
            "whether a report that is too large for the server goes without its attachments"),
        .number(
            "reports_per_minute", \.reportsPerMinute, NumberForm(EPITAPH_OPTION_COUNT, 0...10_000),
            "how many reports are sent in any minute; 0 for any number"),
        .number(
            "upload_retries", \.uploadRetries, NumberForm(EPITAPH_OPTION_COUNT, 0...100),
            "how often a report is tried again at once"),
    ]

    private static let connection: [Self] = [
        .seconds(
            "upload_timeout", \.uploadTimeout, in: 0...3600,
            "when a request is given up; 0 for the usual limits"),
        .text(
            "proxy", \.proxy, none: "environment", "a URL, none, or environment",
            "the proxy that is used; environment takes it from http_proxy and https_proxy",
            isSecret: true, isPermitted: { $0 == "none" || isProxy($0) }),
        .path(
            "ca_file", \.caFile, of: "a file",
            "the certificates that are trusted instead of the system's"),
        .path(
            "client_certificate", \.clientCertificate, of: "a file", mayBeCredential: true,
            "the certificate for servers that ask for one"),
        .path(
            "client_key_file", \.clientKeyFile, of: "a file", mayBeCredential: true,
            "the certificate's key, if it is in another file"),
    ]

    private static let reports: [Self] = [
        .flag("process_dumps", \.processesDumps, "whether dumps become reports"),
        .path(
            "crash_directory", \.crashDirectory, of: "a directory",
            "where dumps wait besides the database"),
        .seconds(
            "sweep_interval", \.sweepInterval, in: 10...86_400,
            "how often dumps are looked for although no change was noticed"),
        .number(
            "max_reports", \.maxReports, NumberForm(EPITAPH_OPTION_COUNT, 0...1_000_000),
            "how many reports are kept; 0 for any number"),
        .number(
            "max_database_mb", \.maxDatabaseMB, NumberForm(EPITAPH_OPTION_COUNT, 0...1_000_000),
            "how much room they take, megabytes; 0 for any"),
        .number(
            "max_report_days", \.maxReportDays, NumberForm(EPITAPH_OPTION_COUNT, 0...36_500),
            "how old reports that need not be sent may become; 0 for any age"),
        .number(
            "max_attachment", \.maxAttachmentBytes, NumberForm(EPITAPH_OPTION_SIZE, 0...(1 << 40)),
            "how large a file may be that a program wants attached to its reports; its own limit "
                + "counts if it is smaller"),
        .text(
            "reading_group", \.readingGroup, "the name of a group, or none",
            "who may read reports and change nothing; none leaves permissions as they are"
        ) { text in
            !text.isEmpty && text.utf8.count <= 255
                && !text.contains(where: { $0 == ":" || $0.isWhitespace })
        },
    ]

    /// With a sample key: the real one is checked when the destination is made.
    @Sendable private static func isDestination(_ text: String) -> Bool {
        let sample = text.replacing("{key}", with: "0123456789abcdef0123456789abcdef")
        return (try? DestinationSpecification(sample).destination()) != nil
    }

    private static func isProxy(_ text: String) -> Bool {
        ["http://", "https://", "socks5://", "socks5h://"].contains { text.hasPrefix($0) }
    }
}

extension SettingKey {
    /// An absolute path. A file with a secret may be one of systemd's credentials.
    fileprivate static func path(
        _ name: String, _ path: Path<String?>, of what: String, mayBeCredential: Bool = false,
        _ meaning: String
    ) -> Self {
        let values = mayBeCredential ? ", credential:NAME, or none" : ", or none"
        return .text(name, path, "the absolute path of \(what)" + values, meaning) { text in
            text.hasPrefix("/") || mayBeCredential && SecretFile.credential(text) != nil
        }
    }
}
