// SPDX-License-Identifier: Apache-2.0

import CrashReport
import HTTPTransport
import LinuxSystem
import ReportDatabase
import ReportUpload

/// `dump-convert upload`
enum UploadCommand {
    static let description = CommandDescription(
        name: "upload",
        abstract: "send the pending reports to a server",
        discussion: """
            Sends each pending report with one HTTP POST, in the form that Crashpad and Breakpad
            collectors take. A report the server took is filed as completed; any other stays
            pending.

            A database is made with uploads off, and then nothing is sent: --enable turns them on
            for good, --once sends this time only. A URL can hold a password and other users can
            see command lines: put such a URL into $EPITAPH_UPLOAD_URL.

            Prints one line for each report that was sent: its id, and what the server calls it.
            """,
        operands: [],
        options: [.requiredDatabase, url, enable, disable, once, caFile],
        examples: [
            .init(
                commandLine: "dump-convert upload --url https://crash.example.org/submit --once",
                meaning: "sends what is pending in $EPITAPH_DATABASE, and leaves uploads off."),
            .init(
                commandLine: "dump-convert upload --disable",
                meaning: "turns uploads off."),
        ],
        run: run)

    private static let url = OptionDescription(
        "url", value: "URL", environmentVariable: "EPITAPH_UPLOAD_URL",
        "where to send the reports; http or https")
    private static let enable = OptionDescription(
        "enable", excludes: ["disable", "once"],
        "turn uploads on in the database, for good; then send if there is a URL")
    private static let disable = OptionDescription(
        "disable", excludes: ["once", "url"],
        "turn uploads off in the database and send nothing")
    private static let once = OptionDescription(
        "once", "send this time even if uploads are off")
    private static let caFile = OptionDescription(
        "ca-file", value: "FILE", kind: .file,
        "trust the certificates in this PEM file, not the system's")

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let destination = try destination(arguments)
        let database = try ReportDatabase(
            named: arguments.value(of: .requiredDatabase) ?? "", ifMissing: .create)
        if arguments.has(enable) || arguments.has(disable) {
            let isEnabled = arguments.has(enable)
            _ = try onDatabase { () throws(DatabaseError) in
                try database.updateSettings { $0.uploadsEnabled = isEnabled }
            }
        }
        guard let destination else { return }
        let queue = ChosenQueue(
            queue: DatabaseQueue(database), sendsRegardless: arguments.has(once),
            progress: output.progress)
        do {
            var options = TransportOptions()
            options.caFile = arguments.value(of: caFile)
            var uploader = ReportUploader(
                queue: queue, destination: destination, transport: try CurlTransport(options),
                describe: { ReportContents(minidumpAt: $0.minidumpPath) },
                rules: .oneTryEach, clock: SystemUploadClock(stopSignal: try StopSignal()),
                network: RouteTableWatch(usesProxy: RouteTableWatch.hasProxyInEnvironment))
            let summary = try output.progress.during("sending reports") {
                () throws(QueueError) in
                try uploader.uploadPending(report: { tell($0, $1, output) })
            }
            tell(summary, output)
        } catch {
            throw CommandFailure(.incomplete, "\(error)")
        }
    }

    /// Nil when nothing is to be sent.
    private static func destination(
        _ arguments: ParsedArguments
    ) throws(CommandFailure) -> UploadDestination? {
        guard !arguments.has(disable) else { return nil }
        do throws(UsageError) {
            guard let text = arguments.value(of: url) else {
                guard arguments.has(enable) else {
                    throw UsageError("\(url.synopsis) is missing (or set EPITAPH_UPLOAD_URL)")
                }
                return nil
            }
            do {
                return UploadDestination(try UploadURL(text))
            } catch {
                throw UsageError("\(error)")
            }
        } catch {
            throw CommandFailure(usage: error, of: description)
        }
    }

    private static func tell(_ report: PendingReport, _ result: UploadResult, _ output: Output) {
        let id = report.uuid.uuidString.lowercased()
        switch result {
        case .sent: output.print("\(id) \(TerminalText.line("\(result)"))")
        case .failed: output.complain("report \(id): \(result)")
        case .alreadySent: output.note("report \(id): \(result)")
        case .skipped(.taken): output.note("report \(id): \(result)")
        // These concern many reports at once and are told at the end.
        case .skipped: break
        }
    }

    private static func tell(_ summary: UploadSummary, _ output: Output) {
        summary.problems.forEach { output.complain($0) }
        func count(_ reason: SkipReason) -> Int {
            summary.reports.count { $0.result == .skipped(reason) }
        }
        for (reason, count) in otherReasons(summary) {
            output.complain("\(count) left pending: \(reason)")
        }
        if count(.serverUnavailable) > 0 {
            output.complain(
                "\(count(.serverUnavailable)) more left pending: nothing can be sent now")
        }
        if count(.uploadsDisabled) > 0 {
            output.complain(
                "\(count(.uploadsDisabled)) left pending: uploads are off in this database; "
                    + "--enable turns them on for good, --once sends this time only")
        }
    }

    /// Why reports were left that are not told of by themselves, and how many, in order of their
    /// first.
    private static func otherReasons(_ summary: UploadSummary) -> [(String, Int)] {
        var counts: [(String, Int)] = []
        for case .skipped(let reason) in summary.reports.map(\.result) {
            switch reason {
            case .uploadsDisabled, .serverUnavailable, .taken: continue
            default: break
            }
            let sentence = TerminalText.line("\(reason)")
            if let index = counts.firstIndex(where: { $0.0 == sentence }) {
                counts[index].1 += 1
            } else {
                counts.append((sentence, 1))
            }
        }
        return counts
    }
}
