// SPDX-License-Identifier: Apache-2.0

import ReportScrubbing
import ReportUpload

/// The options of `dump-convert upload`.
enum UploadOptions {
    static let all: [OptionDescription] =
        [
            .requiredDatabase, url, enable, disable, once, now, watch, dryRun, json, request,
            withoutAttachments, attach, reportsPerMin, retryLimit, retryInterval, retryOrder,
            timeout,
            noCompression, header, caFile, clientCertificate, clientKey, proxy, scrubbingRules,
        ] + scrubbing.map(\.description)

    static let url = OptionDescription(
        "url", value: "DESTINATION", environmentVariable: "EPITAPH_UPLOAD_URL",
        "where to send the reports: a URL, or sentry:DSN, backtrace:UNIVERSE/TOKEN, socorro:URL, "
            + "put:URL or post:URL")
    static let enable = OptionDescription(
        "enable", excludes: ["disable", "once"],
        "turn uploads on in the database, for good; then send if there is a destination")
    static let disable = OptionDescription(
        "disable", excludes: ["once", "url", "watch", "dry-run"],
        "turn uploads off in the database and send nothing")
    static let once = OptionDescription(
        "once", "send this time even if uploads are off")
    static let now = OptionDescription(
        "now", "try reports again whose next try is not due yet")
    static let watch = OptionDescription(
        "watch", excludes: ["dry-run", "request"],
        "go on and send what comes, until SIGTERM or SIGINT")
    static let dryRun = OptionDescription(
        "dry-run", "send and write nothing; tell what would be sent, and what would not and why")
    static let json = OptionDescription(
        "json", "print one JSON object a line, for each report and at the end")
    static let request = OptionDescription(
        "request", value: "REPORT", kind: .report, isRepeatable: true, excludes: ["dry-run"],
        "ask for the upload of this report, or with all for that of every one that waits: also "
            + "while uploads are off, after the server refused it, or after it was completed "
            + "unsent; includes --now")
    static let withoutAttachments = OptionDescription(
        "without-attachments",
        "send reports without their attachments where the server finds them too large with them")
    static let attach = OptionDescription(
        "attach", value: "FILE", kind: .file, isRepeatable: true,
        "send this file with each report, up to 7 MB")
    static let reportsPerMin = OptionDescription(
        "reports-per-min", value: "N", kind: .wholeNumber,
        "send at most so many reports in a minute, 0 for any number; default: "
            + "\(UploadLimits().reportsPerMin)")
    static let retryLimit = OptionDescription(
        "retry-limit", value: "N", kind: .wholeNumber,
        "try a report so many times more before it waits for a later pass; default: "
            + "\(UploadLimits().retryLimit)")
    static let retryInterval = OptionDescription(
        "retry-interval", value: "SECONDS", kind: .seconds,
        "wait so long before the first of these tries, and twice as long before each next; "
            + "default: \(Int(UploadLimits().retryInterval))")
    static let retryOrder = OptionDescription(
        "retry-order", value: "ORDER",
        kind: .choice(UploadLimits.RetryOrder.allCases.map(\.rawValue)),
        "queue sends the oldest report first, stack the newest; default: queue")
    static let timeout = OptionDescription(
        "timeout", value: "SECONDS", kind: .seconds,
        "give up a request after so long; default: \(Int(TimeLimits().totalSeconds))")
    static let noCompression = OptionDescription(
        "no-compression", "send bodies as they are, not compressed with gzip")
    static let header = OptionDescription(
        "header", value: "HEADER", isRepeatable: true,
        "add this header, NAME: VALUE, or those in a file, @FILE; for put: and post: destinations")
    static let caFile = OptionDescription(
        "ca-file", value: "FILE", kind: .file,
        "trust the certificates in this PEM file, not the system's")
    static let clientCertificate = OptionDescription(
        "client-cert", value: "FILE", kind: .file,
        "show this certificate (PEM) to servers that ask for one")
    static let clientKey = OptionDescription(
        "client-key", value: "FILE", kind: .file,
        "the certificate's private key (PEM); default: the file of --client-cert")
    static let proxy = OptionDescription(
        "proxy", value: "URL",
        "go through this proxy (http, https, socks5 or socks5h), or through none with \"none\"; "
            + "default: what http_proxy, https_proxy and no_proxy say")
    static let scrubbingRules = OptionDescription(
        "scrub-rules", value: "FILE", kind: .file,
        "take out of what is sent what the rules in this JSON file say")
    static let scrubbing = ScrubbingOption.allCases.map { option in
        (
            option: option,
            description: OptionDescription(
                String(option.rawValue.dropFirst(2)), value: option.valueName,
                isRepeatable: option.isRepeatable, option.abstract)
        )
    }
}
