// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import EpitaphUpload
import EpitaphValues

extension Epitaph.Configuration {
    /// Every key but `annotation.NAME`, in the order of docs/configuration.md.
    public static let keys = settings.map { Key(setting: $0) }

    typealias Setting = SettingKey<Epitaph.Configuration>

    static let settings: [Setting] =
        captureSettings + crashLoopSettings + deliverySettings + reportSettings + partSettings
        + limitSettings

    private static let crashLoopSettings: [Setting] = [
        .seconds(
            "crash_loop_seconds", \.crashLoop.earlyTime.inSeconds, in: 1...3600,
            "until when after the start a crash is an early one"),
        .number(
            "crash_loop_count", \.crashLoop.crashCount, NumberForm(EPITAPH_OPTION_COUNT, 1...100),
            "how many early crashes in a row are a crash loop"),
    ]

    private static let deliverySettings: [Setting] = [
        Setting(
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
        .flag(
            "uploads", \.uploadsEnabled, unset: "ask",
            "whether reports may be sent; ask leaves what is kept in the database"),
        .number(
            "reports_per_minute", \.uploads.limits.reportsPerMin,
            NumberForm(EPITAPH_OPTION_COUNT, 0...10_000),
            "how many reports are sent in any minute; 0 for any number"),
        .number(
            "upload_retries", \.uploads.limits.retryLimit,
            NumberForm(EPITAPH_OPTION_COUNT, 0...100),
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

    private static let reportSettings: [Setting] = [
        .flag(
            "process_dumps", \.processesEarlierDumps,
            "whether dumps of earlier launches become reports at the start"),
        .number(
            "max_reports", \.capture.prunePolicy.maxRecordCount,
            NumberForm(EPITAPH_OPTION_COUNT, 0...1_000_000),
            "how many reports are kept; 0 for any number"),
        .number(
            "max_database_mb", \.capture.prunePolicy.maxDatabaseSizeMB,
            NumberForm(EPITAPH_OPTION_COUNT, 0...1_000_000),
            "how much room they take, megabytes; 0 for any"),
        .number(
            "max_report_days", \.capture.prunePolicy.maxAgeDays,
            NumberForm(EPITAPH_OPTION_COUNT, 0...36_500),
            "how old reports that need not be sent may become; 0 for any age"),
        .choice(
            "stacks", \.capture.stacksWhenFiled,
            "what is looked up for stacks when a report is made", word: { "\($0)" }),
        Setting(
            "attachment", "the path of a file", "goes with every report; may be repeated",
            isRepeatable: true,
            text: { $0.capture.attachments.map(\.path).joined(separator: " ") },
            apply: { text, configuration in
                guard !text.isEmpty else { return false }
                configuration.capture.attachments.append(AttachedFile(text))
                return true
            }),
        .number(
            "max_attachment", \.attachmentLimitBytes,
            NumberForm(EPITAPH_OPTION_SIZE, 0...(1 << 40)),
            "how large an attachment may be"),
    ]

    /// What becomes part of a report is sent, too.
    fileprivate var attachmentLimitBytes: Int {
        get { capture.attachmentLimitBytes }
        set {
            capture.attachmentLimitBytes = newValue
            uploads.attachmentLimitBytes = newValue
        }
    }

    /// `uploads.repeatsAfter`, with 0 for nil.
    fileprivate var uploadIntervalSeconds: Double {
        get { uploads.repeatsAfter?.inSeconds ?? 0 }
        set { uploads.repeatsAfter = newValue > 0 ? Duration(clampedSeconds: newValue) : nil }
    }
}
