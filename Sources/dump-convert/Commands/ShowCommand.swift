// SPDX-License-Identifier: Apache-2.0

import CrashReport
import LinuxSystem
import ReportDatabase
import StackUnwinding

/// `dump-convert show`
enum ShowCommand {
    static let description = CommandDescription(
        name: "show",
        abstract: "explain a crash: what died, why, and where",
        discussion: """
            Shows a report of the database, a minidump or an intermediate dump as text: the
            reason, the crashing thread's stack, annotations, what is missing and why, registers,
            the other threads and the modules. Functions and lines come from the ELF files of this
            machine, which are only used when their build id is the crashed process's.

            With a database, REPORT is a report's id, the beginning of one that no other report
            has, or "latest", which is also what is shown without any. Anything that does not look
            like an id is a file; write ./NAME for a file whose name does.
            """,
        operands: [
            .init(
                name: "REPORT", abstract: "a report's id, \"latest\", or a file", isRequired: false)
        ],
        options: [
            .database, raw, allThreads, crashingThread, symbols, noSymbols,
        ],
        examples: [
            .init(
                commandLine: "dump-convert show --database /var/lib/exampled/crashes",
                meaning: "explains the latest crash of a daemon."),
            .init(
                commandLine: "dump-convert show --symbols ./debug ./crash.dmp",
                meaning: "explains a minidump with the symbols of a directory."),
            .init(
                commandLine: "dump-convert show --raw com.example.exampled@0f0e...",
                meaning: "prints every key of an intermediate dump."),
        ],
        run: run)

    private static let raw = OptionDescription(
        "raw", excludes: ["all-threads", "crashing-thread", "symbols", "no-symbols"],
        "print the key tree of an intermediate dump or the streams of a minidump instead")
    private static let allThreads = OptionDescription(
        "all-threads", excludes: ["crashing-thread"], "show every thread; this is the default")
    private static let crashingThread = OptionDescription(
        "crashing-thread", "show no thread but the one that crashed")
    private static let symbols = OptionDescription(
        "symbols", value: "DIR", isRepeatable: true, excludes: ["no-symbols"],
        "look for ELF and debug files in this directory first")
    private static let noSymbols = OptionDescription(
        "no-symbols", "show modules and offsets only, no functions and lines")

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let file = try input(arguments)
        if arguments.has(raw) {
            RawText.print(file, to: output)
            return
        }
        let directories = arguments.values(of: symbols)
        for directory in directories {
            do {
                _ = try Directory(opening: realPath(of: directory))
            } catch {
                throw CommandFailure(
                    .notFound, "cannot look for symbols in \(directory): \(error.reason)")
            }
        }
        let explanation = CrashExplanation(
            file.snapshot, images: InstalledImages(symbolDirectories: directories),
            naming: arguments.has(noSymbols) ? .modulesOnly : .symbols)
        let report = TextReport(
            explanation, threads: arguments.has(crashingThread) ? .crashingOnly : .all)
        for line in report.lines where output.isOpen {
            output.print(line)
        }
    }

    /// The report of the database or the file the command line means.
    private static func input(_ arguments: ParsedArguments) throws(CommandFailure) -> InputFile {
        let word = arguments.operands.first
        guard let path = arguments.value(of: .database) else {
            guard let word else {
                throw CommandFailure(
                    usage: UsageError(
                        "REPORT is missing, and there is no database to show the latest of"),
                    of: description)
            }
            return try InputFile(reading: word)
        }
        guard word.map(looksLikeID) ?? true else { return try InputFile(reading: word ?? "") }
        let database = try ReportDatabase(named: path)
        let report =
            word.map { $0 != "latest" } ?? false
            ? try onDatabase { () throws(DatabaseError) in
                try database.report(matching: word ?? "")
            } : try latest(in: database)
        let bytes = try onDatabase { () throws(DatabaseError) in
            try database.contents(of: report)
        }
        return try InputFile(bytes, of: report.path)
    }

    private static func latest(in database: ReportDatabase) throws(CommandFailure) -> Report {
        var reports: [Report] = []
        for state in ReportState.allCases {
            reports += try onDatabase { () throws(DatabaseError) in
                try database.reports(state).reports
            }
        }
        guard let latest = reports.max(by: { $0.creationTime < $1.creationTime }) else {
            throw CommandFailure(
                .notFound,
                "there is no report in \(database.path); \"dump-convert process\" turns dumps into "
                    + "reports")
        }
        return latest
    }

    /// `latest`, or nothing but hexadecimal digits and hyphens.
    private static func looksLikeID(_ word: String) -> Bool {
        word == "latest" || word.allSatisfy { ($0.isHexDigit && $0.isASCII) || $0 == "-" }
    }
}
