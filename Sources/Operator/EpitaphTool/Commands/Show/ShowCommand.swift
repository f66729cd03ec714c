// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphExplanation
import EpitaphPages
import EpitaphSystem
import EpitaphValues

enum ShowCommand {
    static let description = CommandDescription(
        name: "show",
        abstract: "explain a crash: what died, why, and where",
        discussion: """
            Shows a report of the database, a minidump or an intermediate dump as text. The first
            screen shows what died, in which function of the program, how often the databases have
            it, why, the crashing thread's stack and what the program said. After it come the code and registers at the fault, what is missing and why, the other
            threads and the modules. Functions and lines come from the ELF files of this machine,
            which are only used if their build id is that of the crashed process, and from the
            symbol servers of $DEBUGINFOD_URLS if that is set. Function names
            are shown as written in the source unless --full-names is given. Frames of the
            program's own code show three lines of source if the file is on this machine and not
            newer than the program.

            --json prints the same and more for programs; --html writes a single page for a
            browser that needs no other file. Both include all threads unless --thread is given.

            REPORT is a report's id, an unambiguous beginning of one, or "latest", which is the
            default; of several databases it is looked for in all, and without a named one in those
            that the service of this machine watches. Anything that does not look like an id is a
            file; write ./NAME for a file whose name looks like one.
            """,
        operands: [ReportOperand.description],
        options: [
            .databases, ThreadOptions.allThreads, ThreadOptions.thread, SymbolOptions.symbols,
            SymbolOptions.sysroot, SymbolOptions.noSymbols, SymbolOptions.noDebuginfod, fullNames,
            noSource, json, .html, .replacesPage, raw,
            ColourOption.color,
        ],
        examples: [
            .init(
                "show --database /var/lib/exampled/crashes",
                "explains the latest crash of a daemon."),
            .init("show 0f0e1d", "explains a report that the service has filed."),
            .init(
                "show --symbols ./debug ./crash.dmp",
                "explains a minidump with the symbols of a directory."),
            .init(
                "show latest --html crash.html",
                "writes the latest crash in $EPITAPH_DATABASE as a page."),
            .init(
                "show --raw com.example.exampled@0f0e...",
                "prints every key of an intermediate dump."),
        ],
        run: run)

    private static let raw = OptionDescription(
        "raw",
        excludes: [
            "all-threads", "thread", "symbols", "sysroot", "no-symbols", "no-debuginfod",
            "full-names", "no-source", "json",
            "html",
        ],
        "print the key tree of an intermediate dump or the streams of a minidump instead")

    private static let fullNames = OptionDescription(
        "full-names", "show functions with modules, types and everything the compiler added")
    private static let noSource = OptionDescription(
        "no-source", "show no lines of source")

    private static let json = OptionDescription(
        "json", excludes: ["html"], "print JSON that follows docs/report-schema.json")

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        let found = try output.progress.during("reading the dump") {
            () throws(CommandFailure) in
            try ReportOperand.bytes(arguments.operands.first, arguments, output, of: description)
        }
        // These may include a later crash than the latest report.
        if [nil, ReportOperand.latest].contains(arguments.operands.first) {
            NamedDatabases.orWatched(arguments, output).forEach {
                WaitingDumps(inDatabaseAt: $0).note(to: output)
            }
        }
        if arguments.has(raw) {
            try RawText.print(found, to: output)
            found.complainIfCut(output)
            return
        }
        let file = try output.progress.during("reading the dump") { () throws(CommandFailure) in
            try InputFile(found)
        }
        // Fail before the work, which may take long.
        let page = try arguments.value(of: .html).map { path throws(CommandFailure) in
            try PageTarget(
                path, replaces: arguments.has(.replacesPage), source: found.path)
        }
        let snapshot = file.snapshot
        let isText = !arguments.has(json) && page == nil
        let threads = try ThreadOptions.selection(arguments, of: snapshot, isText: isText)
        let servers = try SymbolOptions.servers(arguments, of: description, output)
        let images = try SymbolOptions.images(arguments, readAs: found.owner, servers: servers)
        let explanation = try output.progress.during("reading stacks and symbols") {
            () throws(CommandFailure) in
            try found.withOwnersRights {
                CrashExplanation(
                    snapshot, images: images,
                    naming: arguments.has(SymbolOptions.noSymbols) ? .modulesOnly : .symbols,
                    threads: threads,
                    source: arguments.has(json) || arguments.has(noSource)
                        ? nil : SourceFiles(servers, images, reportOwner: found.ownerID),
                    progress: output.progress.update)
            }
        }
        let names: ReportFrame.Names = arguments.has(fullNames) ? .full : .short
        let recurrence =
            arguments.has(json)
            ? nil
            : found.report.flatMap {
                Recurrence.words(of: $0, in: NamedDatabases.orWatched(arguments, output))
            }
        if let page {
            let report = HTMLReport(
                explanation, threads: threads, names: names, recurrence: recurrence)
            try page.write(report.pieces, output)
        } else if arguments.has(json) {
            JSONReport(explanation, threads: threads).write(to: output.write)
            output.print()
        } else {
            var form = output.form(colour: ColourOption.choice(arguments))
            form.names = names
            let report = TextReport(
                explanation, threads: threads, form: form, recurrence: recurrence)
            for line in report.lines where output.isOpen { output.print(line) }
        }
        found.complainIfCut(output)
    }
}
