// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphLogUpload
import EpitaphSystem
import EpitaphUpload
import EpitaphValues

enum UploadLogsCommand {
    static let description = CommandDescription(
        name: "upload-logs",
        abstract: "send rolled logs, and delete them",
        discussion: """
            Sends each rolled log in DIRECTORY as the body of one HTTP request, the oldest first,
            and deletes it once the server has answered with a success. All other logs stay and
            are sent another time: with --watch soon, and whenever another log is rolled. The
            command waits for a log that is still being written or compressed; one that existed
            when the command began and has not changed for five seconds counts as finished.

            In URL and headers {uuid} is replaced by the log's id, which is the same each time the
            same contents are sent, and {file} by its name. A URL or header can contain a
            password, and other users can see command lines: put such a URL into
            $EPITAPH_LOG_URL, and such a header into a file, one header per line, and name that
            file with --header @FILE.

            Prints one line for each log that was sent: its id, its name and its size.
            """,
        operands: [
            OperandDescription(
                "DIRECTORY", "the directory with the rolled logs", isRequired: true,
                kind: .directory)
        ],
        options: [
            url, rolled, exclude, method, header, gzip, maximumFiles, diskQuota, watch, json,
            .caFile,
        ],
        examples: [
            .init(
                "upload-logs /var/log/app --url https://logs.example.org/{uuid}",
                "sends the rolled logs; for the postrotate script of logrotate(8)."),
            .init(
                "upload-logs /var/log/app --watch --max-files 20",
                "sends logs to $EPITAPH_LOG_URL as they are rolled, until SIGTERM or SIGINT."),
        ],
        run: run)

    private static let url = OptionDescription(
        "url", value: "URL", environmentVariable: "EPITAPH_LOG_URL",
        "where to send the logs; http or https")
    private static let rolled = OptionDescription(
        "rolled", value: "GLOB", isRepeatable: true,
        "names of rolled logs, as a shell pattern; default: *.log.* and *.log-*")
    private static let exclude = OptionDescription(
        "exclude", value: "GLOB", isRepeatable: true,
        "names that are left alone even if --rolled matches them, such as logs in use")
    private static let method = OptionDescription(
        "method", value: "METHOD", kind: .choice(["POST", "PUT"]),
        "the HTTP method, POST or PUT; default: POST")
    private static let header = OptionDescription(
        "header", value: "HEADER", isRepeatable: true,
        "send this header, NAME: VALUE, or those in a file, @FILE")
    private static let gzip = OptionDescription(
        "gzip", "compress logs that are not compressed already")
    private static let maximumFiles = OptionDescription(
        "max-files", value: "N", kind: .count,
        "keep at most N rolled logs; the oldest are deleted unsent")
    private static let diskQuota = OptionDescription(
        "disk-quota", value: "MB", kind: .count,
        "keep at most MB mebibytes of rolled logs; the oldest are deleted unsent")
    private static let watch = OptionDescription(
        "watch", "keep running until SIGTERM or SIGINT, and send logs as they are rolled")
    private static let json = OptionDescription(
        "json", "print one JSON object per line for each event")

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let destination = try destination(arguments)
        let path = try directory(arguments.operands.first ?? "")
        let isWatching = arguments.has(watch)
        let report = LogUploadReport(
            output, isJSON: arguments.has(json), isWatching: isWatching)
        do {
            let stopSignal = try StopSignal()
            try TerminationSignals.stop(stopSignal, graceSeconds: 5)
            var options = TransportOptions()
            options.caFile = arguments.value(of: .caFile)
            options.shouldStop = { stopSignal.isStopped }
            let chosen = Self.options(arguments)
            var pass = LogUploadPass(
                through: path, to: destination, by: try CurlTransport(options),
                options: chosen, clock: SystemStoppableClock(stopSignal: stopSignal),
                delegate: report)
            if isWatching {
                pass.runAgainAndAgain(stopSignal) { report.announce($0) }
            } else {
                report.conclude(once(&pass, stopSignal, settleSeconds: chosen.settleTime.inSeconds))
            }
        } catch {
            throw CommandFailure(.incomplete, "\(error)")
        }
    }

    private static func once(
        _ pass: inout LogUploadPass, _ stopSignal: StopSignal, settleSeconds: Double
    ) -> LogUploadSummary {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(settleSeconds * 3)
        while true {
            let summary = pass.run()
            guard summary.settlingCount > 0, clock.now < deadline,
                !stopSignal.wait(seconds: min(summary.secondsToNextStep ?? 1, settleSeconds))
            else { return summary }
        }
    }

    private static func options(_ arguments: ParsedArguments) -> LogUploadOptions {
        var options = LogUploadOptions()
        let patterns = arguments.values(of: rolled).map { GlobPattern($0) }
        if !patterns.isEmpty { options.selection.rolled = patterns }
        options.selection.excluded = arguments.values(of: exclude).map { GlobPattern($0) }
        options.limits.maximumFiles = arguments.count(of: maximumFiles) ?? 0
        options.limits.diskQuotaBytes = (arguments.count(of: diskQuota) ?? 0)
            .multipliedClamped(by: 1 << 20)
        return options
    }

    private static func directory(_ path: String) throws(CommandFailure) -> String {
        let problem = "cannot open the directory \(path)"
        // The user's path may be a link.
        let resolved = try orReason(.notFound, problem, realPath(of: path))
        _ = try orReason(.notFound, problem, Directory(opening: resolved))
        return resolved
    }

    private static func destination(
        _ arguments: ParsedArguments
    ) throws(CommandFailure) -> TemplateDestination {
        guard let text = arguments.value(of: url) else {
            throw CommandFailure(
                usage: "\(url.synopsis) is missing (or set EPITAPH_LOG_URL)", of: description)
        }
        let headers = try HeaderOption.headers(arguments.values(of: header), of: description)
        var template = try orMisuse(
            of: description,
            RequestTemplate(
                arguments.value(of: method) == "PUT" ? .put : .post, url: text, headers: headers))
        template.compression = arguments.has(gzip) ? .gzip : .none
        return TemplateDestination(template)
    }
}
