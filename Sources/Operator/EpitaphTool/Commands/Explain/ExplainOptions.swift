// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

enum ExplainOptions {
    static let all: [OptionDescription] = [
        nul, output, resume, rows, insert, patience, .caFile, jobs, timeout, memory,
        crashingThread,
    ]

    static let nul = OptionDescription(
        "null", short: "0", "names on standard input end with a zero byte, as find -print0 has them"
    )
    static let output = OptionDescription(
        "output", short: "o", value: "FILE", kind: .file,
        "write the lines to FILE, which must not exist; - is standard output")
    static let resume = OptionDescription(
        "resume", "continue FILE of --output: skip reports that have a line there")
    static let rows = OptionDescription(
        "rows", "write the row of the fleet's table instead of the whole report")
    static let insert = OptionDescription(
        "insert", value: "PLACE",
        "put the rows into a ClickHouse table, clickhouse:http://HOST:8123/DATABASE.TABLE; @FILE, "
            + "@credential:NAME or @env:NAME is where that is written, with user and password")
    static let patience = OptionDescription(
        "patience", value: "SECONDS", kind: .seconds,
        "how long to wait for a server that cannot be reached or is full; default: "
            + "\(defaultPatience)")
    static let jobs = OptionDescription(
        "jobs", short: "j", value: "N", kind: .count,
        "how many reports to explain at once, each in a process of its own; default: one for each "
            + "processor")
    static let timeout = OptionDescription(
        "timeout", value: "SECONDS", kind: .count,
        "how long one report may take; default: \(defaultTimeout)")
    static let memory = OptionDescription(
        "memory", value: "MB", kind: .count,
        "how much memory one process may take; default: \(defaultMemory)")
    static let crashingThread = OptionDescription(
        "crashing-thread", "explain the thread that the report is about, and count the others")

    private static let defaultTimeout = 60
    private static let defaultMemory = 1024
    private static let defaultPatience = 600
    private static let mostJobs = 256

    static func timeout(_ arguments: ParsedArguments) -> Int {
        min(arguments.count(of: timeout) ?? defaultTimeout, 86_400)
    }

    /// A store gets at most half of a report's time, so that a slow one is not the report's fault.
    static func fetchSeconds(_ arguments: ParsedArguments) -> Double {
        max(Double(timeout(arguments)) / 2, 1)
    }

    static func memory(_ arguments: ParsedArguments) -> Int {
        min(arguments.count(of: memory) ?? defaultMemory, 1 << 20) << 20
    }

    static func jobs(_ arguments: ParsedArguments) -> Int {
        min(arguments.count(of: jobs) ?? CurrentProcess.processorCount, mostJobs)
    }

    static func patience(_ arguments: ParsedArguments) -> Double {
        arguments.value(of: patience).flatMap(Double.init) ?? Double(defaultPatience)
    }

    static func wantsLines(_ arguments: ParsedArguments) -> Bool {
        arguments.value(of: insert) == nil || arguments.value(of: output) != nil
    }

    static func wantsReports(_ arguments: ParsedArguments) -> Bool {
        wantsLines(arguments) && !arguments.has(rows)
    }

    /// A worker's command line: the options that decide what is explained, and how.
    static func workerWords(_ arguments: ParsedArguments) -> [String] {
        let ignored = [nul, output, resume, insert, patience, jobs].map(\.long)
        var words = ExplainCommand.description.options.filter { !ignored.contains($0.long) }
            .flatMap { option -> [String] in
                guard arguments.has(option) else { return [] }
                guard option.valueName != nil else { return ["--\(option.long)"] }
                return arguments.values(of: option).map { "--\(option.long)=\($0)" }
            }
        // A worker need not know more about the destination.
        if !wantsReports(arguments), !arguments.has(rows) { words.append("--\(rows.long)") }
        return [ExplainWorker.word] + words
    }
}
