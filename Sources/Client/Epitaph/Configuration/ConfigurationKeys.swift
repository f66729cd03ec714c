// SPDX-License-Identifier: Apache-2.0

import EpitaphUpload
import EpitaphValues

extension Epitaph.Configuration {
    /// Every key, in the order of docs/configuration.md. Annotations have their own keys,
    /// `annotation.NAME`.
    public static let keys: [Key] =
        programKeys + deliveryKeys + reportKeys + partKeys + captureKeys + budgetKeys

    private static let programKeys: [Key] = [
        Key(
            "database", "the path of a directory", "where dumps and reports are kept",
            text: { $0.databasePath },
            apply: { text, configuration in
                guard !text.isEmpty else { return false }
                configuration.databasePath = text
                return true
            }),
        .flag("enabled", \.isEnabled, "whether crashes are captured, unless the program was told"),
        .flag(
            "allow_debugger", \.capture.allowsDebugger,
            "whether to start although a debugger is attached"),
        .flag(
            "allow_test_crashes", \.capture.allowsTestCrashes,
            "whether the program may be made to crash on purpose"),
        .seconds(
            "crash_loop_seconds", \.crashLoop.earlyTime.inSeconds, in: 1...3600,
            "until when after the start a crash is an early one"),
        .number(
            "crash_loop_count", \.crashLoop.crashCount, in: 1...100,
            "how many early crashes in a row are a crash loop"),
    ]

    private static let deliveryKeys: [Key] = [
        Key(
            "destination", "a line that docs/destinations.md describes, or none",
            "where reports are sent", text: { $0.destination ?? "none" },
            apply: { text, configuration in
                guard text != "none" else {
                    configuration.destination = nil
                    return true
                }
                guard (try? DestinationSpecification(text).destination()) != nil else {
                    return false
                }
                configuration.destination = text
                return true
            }),
        Key(
            "uploads", "yes, no or ask",
            "whether reports may be sent; ask leaves what is kept in the database",
            text: { $0.uploadsEnabled.map { $0 ? "yes" : "no" } ?? "ask" },
            apply: { text, configuration in
                let flag = Key.flag(text)
                guard flag != nil || text.lowercased() == "ask" else { return false }
                configuration.uploadsEnabled = flag
                return true
            }),
        .number(
            "reports_per_minute", \.uploads.limits.reportsPerMin, in: 0...10_000,
            "how many reports are sent in any minute; 0 for any number"),
        .number(
            "upload_retries", \.uploads.limits.retryLimit, in: 0...100,
            "how often a report is tried again at once"),
        .seconds(
            "upload_interval", \.uploadIntervalSeconds, in: 0...604_800,
            "from the end of a pass over the reports to the next; 0 for a single pass"),
        .choice(
            "send_first", \.sendsEarlierReportsFirst,
            "when the start waits until reports of earlier launches were sent",
            word: { $0.rawValue }),
        .seconds(
            "send_first_seconds", \.sendFirstTime.inSeconds, in: 0...60,
            "how long the start waits for that"),
    ]

    private static let reportKeys: [Key] = [
        .flag(
            "process_dumps", \.processesEarlierDumps,
            "whether dumps of earlier launches become reports at the start"),
        .number(
            "max_reports", \.capture.prunePolicy.maxRecordCount, in: 0...1_000_000,
            "how many reports are kept; 0 for any number"),
        .number(
            "max_database_mb", \.capture.prunePolicy.maxDatabaseSizeMB, in: 0...1_000_000,
            "how much room they take, megabytes; 0 for any"),
        .number(
            "max_report_days", \.capture.prunePolicy.maxAgeDays, in: 0...36_500,
            "how old reports get that need not be sent; 0 for any age"),
        .choice(
            "stacks", \.capture.stacksWhenFiled,
            "what is found out about stacks when a report is made", word: { "\($0)" }),
        Key(
            "attachment", "the path of a file", "goes with every report; may be repeated",
            isRepeatable: true,
            text: { $0.capture.attachments.map(\.path).joined(separator: " ") },
            apply: { text, configuration in
                guard !text.isEmpty else { return false }
                configuration.capture.attachments.append(AttachedFile(text))
                return true
            }),
        .size(
            "max_attachment", \.capture.attachmentLimitBytes, in: 0...(1 << 40),
            "how large an attachment may be"),
    ]

    /// `uploads.repeatsAfter`, with 0 for nil.
    fileprivate var uploadIntervalSeconds: Double {
        get { uploads.repeatsAfter?.inSeconds ?? 0 }
        set { uploads.repeatsAfter = newValue > 0 ? Duration(clampedSeconds: newValue) : nil }
    }
}
