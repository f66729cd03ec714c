// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphMinidump
import EpitaphUpload

enum UploadOptions {
    static let all: [OptionDescription] =
        [
            .requiredDatabase, url, enable, disable, once, now, watch, dryRun, json, request,
            withoutAttachments, attach, reportsPerMin, retryLimit, retryInterval, retryOrder,
            timeout,
            noCompression, header, .caFile, clientCertificate, clientKey, proxy, scrubbingRules,
        ] + scrubbing.map(\.description)

    /// Options that name files without which nothing is to be sent.
    static let readAtOnce: [OptionDescription] = [
        .caFile, clientCertificate, clientKey, scrubbingRules,
    ]

    static let url = OptionDescription(
        "url", value: "DESTINATION", environmentVariable: "EPITAPH_UPLOAD_URL",
        "where to send the reports: a URL, or sentry:DSN, backtrace:UNIVERSE/TOKEN, socorro:URL, "
            + "s3:URL, otlp:URL, put:URL or post:URL")
    static let enable = OptionDescription(
        "enable", excludes: ["disable", "once", "dry-run"],
        "turn uploads on in the database, permanently; then send if there is a destination")
    static let disable = OptionDescription(
        "disable", excludes: ["once", "url", "watch", "dry-run"],
        "turn uploads off in the database and send nothing")
    static let once = OptionDescription(
        "once", "send this time even if uploads are off")
    static let now = OptionDescription(
        "now", "also try reports whose next try is not due yet")
    static let watch = OptionDescription(
        "watch", excludes: ["dry-run", "request"],
        "keep running and send new reports, until SIGTERM or SIGINT")
    static let dryRun = OptionDescription(
        "dry-run", "send and write nothing; show what would be sent, and what would not and why")
    static let json = OptionDescription(
        "json", "print one JSON object per line, for each report and at the end")
    static let request = OptionDescription(
        "request", value: "REPORT", kind: .report, isRepeatable: true, excludes: ["dry-run"],
        "request the upload of this report, or of all pending ones with \"all\", even if uploads "
            + "are off, the server refused it, or it was completed unsent; includes --now")
    static let withoutAttachments = OptionDescription(
        "without-attachments",
        "send reports without their attachments if they are too large for the server with them")
    static let attach = OptionDescription(
        "attach", value: "FILE", kind: .file, isRepeatable: true,
        "send this file with each report, up to 7 MB")
    static let reportsPerMin = OptionDescription(
        "reports-per-min", value: "N", kind: .wholeNumber,
        "send at most N reports per minute, 0: no limit; default: "
            + "\(UploadLimits().reportsPerMin)")
    static let retryLimit = OptionDescription(
        "retry-limit", value: "N", kind: .wholeNumber,
        "retry a report up to N times before it waits for a later pass; default: "
            + "\(UploadLimits().retryLimit)")
    static let retryInterval = OptionDescription(
        "retry-interval", value: "SECONDS", kind: .seconds,
        "wait SECONDS before the first retry, and twice as long before each further one; "
            + "default: \(Int(UploadLimits().retryInterval))")
    static let retryOrder = OptionDescription(
        "retry-order", value: "ORDER",
        kind: .choice(UploadLimits.RetryOrder.allCases.map(\.rawValue)),
        "queue: send the oldest report first, stack: the newest; default: queue")
    static let timeout = OptionDescription(
        "timeout", value: "SECONDS", kind: .seconds,
        "give up a request after SECONDS; default: \(Int(TimeLimits().total.inSeconds))")
    static let noCompression = OptionDescription(
        "no-compression", "send bodies uncompressed instead of with gzip")
    static let header = OptionDescription(
        "header", value: "HEADER", isRepeatable: true,
        "add this header, NAME: VALUE, or those in a file, @FILE; for put:, post: and otlp: "
            + "destinations")
    static let clientCertificate = OptionDescription(
        "client-cert", value: "FILE", kind: .file,
        "present this certificate (PEM) to servers that ask for one")
    static let clientKey = OptionDescription(
        "client-key", value: "FILE", kind: .file,
        "the certificate's private key (PEM); default: the file of --client-cert")
    static let proxy = OptionDescription(
        "proxy", value: "URL",
        "use this proxy (http, https, socks5 or socks5h), or \"none\" for no proxy; "
            + "default: from http_proxy, https_proxy and no_proxy")
    static let scrubbingRules = OptionDescription(
        "scrub-rules", value: "FILE", kind: .file,
        "remove data before sending by the rules in this JSON file")
    static let scrubbing = ScrubbingOption.allCases.map { option in
        (
            option: option,
            description: OptionDescription(
                String(option.rawValue.dropFirst(2)), value: option.valueName,
                isRepeatable: option.isRepeatable, option.abstract)
        )
    }
}
