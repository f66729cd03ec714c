// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

enum ExplainCommand {
    static let description = CommandDescription(
        name: "explain",
        abstract: "explain many reports, one JSON object a line",
        discussion: """
            Explains minidumps, intermediate dumps and cores as "show --json" does and prints one
            line for each, in the order in which they are done. The names come from the command
            line, or from standard input, one a line, as long as that lasts: without FILE, and for
            the FILE "-". A line has the name as "input". A file that cannot be explained costs its
            own line, which says why, and the exit status.

            A name can be that of an object in a bucket, or end with a slash for all minidumps below
            it; keys and regions are as for upload.

            Each report is explained in one of N processes, with a limit of time and one of memory.
            A report that ends its process is tried in another one once. With --output the lines go
            to a file; the same command with --resume does what is left after an interruption, and
            nothing twice.

            With --insert the reports become rows of the table that the page fleet.md has, some
            thousand at a time, each counted once however often it is inserted. Lines are then only
            written with --output, each after its row has been taken. A server that cannot be
            reached or is full is waited for; then the run ends, and can be resumed.

            SIGTERM and SIGINT end it after the reports that are being explained.
            """,
        operands: [
            OperandDescription(
                "FILE",
                "a minidump, an intermediate dump or a core; "
                    + "s3:https://ENDPOINT/BUCKET/KEY, or all of "
                    + "s3:https://ENDPOINT/BUCKET/PREFIX/; - for a list", isRequired: false,
                kind: .file, isRepeatable: true)
        ],
        options: ExplainOptions.all + [
            SymbolOptions.symbols, SymbolOptions.sysroot, SymbolOptions.noSymbols,
            SymbolOptions.debuginfod,
        ],
        examples: [
            .init(
                line:
                    "find /srv/dumps -name '*.dmp' | \(ProgramDescription.name) explain -o crashes.jsonl",
                "explains all minidumps below a directory."),
            .init(
                "explain --insert @/etc/epitaph/clickhouse *.dmp",
                "puts them into the table that the file names."),
        ],
        run: run)

    /// After the first signal, for the reports in work and a last batch.
    private static let graceSeconds = 30

    private static func run(
        _ arguments: ParsedArguments, _ output: Output
    ) throws(CommandFailure) {
        // Fail here once instead of in each worker.
        _ = try SymbolOptions.images(arguments, readAs: nil)
        _ = try SymbolOptions.servers(arguments, of: description, output)
        let stop = try orFail(StopSignal())
        try orFail(TerminationSignals.stop(stop, graceSeconds: graceSeconds))
        let sink = try ExplanationTargets.sink(arguments, stop, output)
        let plan = ExplainRun.Plan(
            jobs: ExplainOptions.jobs(arguments), seconds: ExplainOptions.timeout(arguments),
            memoryBytes: ExplainOptions.memory(arguments),
            patience: ExplainOptions.patience(arguments),
            words: ExplainOptions.workerWords(arguments))
        let separator = UInt8(ascii: arguments.has(ExplainOptions.nul) ? "\0" : "\n")
        let buckets = BucketReader(
            seconds: ExplainOptions.fetchSeconds(arguments), caFile: arguments.value(of: .caFile),
            shouldStop: { stop.isStopped })
        let list = InputList(arguments.operands, separator: separator, buckets: buckets)
        let counts = try output.progress.during("explaining") { () throws(CommandFailure) in
            try explain(plan, list, sink, stop, output)
        }
        report(counts, arguments, output)
    }

    private static func explain(
        _ plan: ExplainRun.Plan, _ list: InputList, _ sink: any ExplanationSink,
        _ stop: StopSignal, _ output: Output
    ) throws(CommandFailure) -> ExplainRun.Counts {
        try orFail(
            ExplainRun(
                plan, list, to: sink, stop: stop, progress: output.progress, note: output.note)
        ).run()
    }

    private static func report(
        _ counts: ExplainRun.Counts, _ arguments: ParsedArguments, _ output: Output
    ) {
        if counts.failed > 0 {
            let reasons = ExplainOptions.wantsLines(arguments) ? ": their lines say why" : ""
            output.complain(
                "\(counts.failed) of \(counts.failed + counts.explained) inputs could not be "
                    + "explained\(reasons)")
        }
        if counts.isCutShort, output.isOpen {
            let count = counts.failed + counts.explained
            output.complain(
                "stopped after \(count) input\(count == 1 ? "" : "s"), before the end of the list")
        }
    }
}
