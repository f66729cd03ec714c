// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphFleet
import EpitaphPages
import EpitaphSymbolStore
import EpitaphSymbols
import EpitaphSystem
import EpitaphUnwinding
import EpitaphValues

/// A process of `ExplainRun` that reads names of reports from standard input and writes answers to
/// standard output. Reports are untrusted: one that breaks the code that reads it costs only this
/// process. docs/decisions/machines.md
struct ExplainWorker {
    static let word = "explain-worker"
    /// Seconds past the run's time limit, when nobody waits for the answer any more.
    private static let orphanSeconds = 30

    private let images: any ELFImageSource
    private let symbols = SymbolCache()
    private let naming: CrashExplanation.Naming
    private let threads: ThreadSelection
    private let writesReports: Bool
    private let buckets: BucketReader

    static func run(_ words: ArraySlice<String>) throws(CommandFailure) {
        let arguments = try orMisuse(
            of: ExplainCommand.description, ParsedArguments(words, for: ExplainCommand.description))
        let worker = try ExplainWorker(arguments)
        do throws(SystemError) {
            try worker.work(
                secondsEach: ExplainOptions.timeout(arguments),
                memory: ExplainOptions.memory(arguments))
        } catch {
            // The run is gone; nobody is left to tell.
            guard error.isBrokenPipe else {
                throw CommandFailure(.incomplete, "a worker of explain: \(error)")
            }
        }
    }

    private init(_ arguments: ParsedArguments) throws(CommandFailure) {
        images = try SymbolOptions.images(
            arguments, readAs: nil, servers: try Self.servers(arguments))
        naming = arguments.has(SymbolOptions.noSymbols) ? .modulesOnly : .symbols
        threads = arguments.has(ExplainOptions.crashingThread) ? .crashing : .all
        writesReports = ExplainOptions.wantsReports(arguments)
        buckets = BucketReader(
            seconds: ExplainOptions.fetchSeconds(arguments), caFile: arguments.value(of: .caFile))
    }

    /// Debuginfod servers get at most half of a report's time.
    private static func servers(
        _ arguments: ParsedArguments
    ) throws(CommandFailure) -> SymbolServers? {
        var limits = TransferLimits(variable: CurrentProcess.environmentVariable)
        let seconds = ExplainOptions.fetchSeconds(arguments)
        limits.report = min(limits.report, seconds)
        limits.stall = min(limits.stall, seconds / 2)
        return try SymbolOptions.servers(
            arguments, of: ExplainCommand.description, nil, limits: limits)
    }

    private func work(secondsEach: Int, memory: Int) throws(SystemError) {
        let answers = FileDescriptor.standardOutput
        FreedMemory.keep()
        try WorkerMessage.ready.send(to: answers)
        while let name = try WorkerRequest.receive(from: .standardInput) {
            // Also ends an orphaned worker.
            CurrentProcess.setAlarm(seconds: secondsEach + Self.orphanSeconds)
            let answer = answer(about: name)
            CurrentProcess.setAlarm(seconds: 0)
            // Exit to free memory of allocators and caches; the run starts another worker.
            let leaves = ProcFileSystem.privateBytes() >= memory / 2
            if leaves { try WorkerMessage.leaving.send(to: answers) }
            try answer.send(to: answers)
            if leaves { return }
        }
    }

    private func answer(about name: String) -> WorkerMessage {
        do throws(BucketFailure) {
            guard BucketName.isOne(name) else {
                return answer(about: name) { () throws(CommandFailure) in
                    try FoundBytes(reading: name)
                }
            }
            let object = try buckets.fetch(name)
            return answer(about: name, arrived: object.stored) { () throws(CommandFailure) in
                try FoundBytes(reading: object.file, path: name)
            }
        } catch {
            switch error {
            case .temporary(let sentence): return .postponed(sentence)
            case .ofObject(let sentence): return .failed(sentence)
            case .ofStore(let sentence): return .impossible(sentence)
            }
        }
    }

    /// - Parameter arrived: when a store received the report; nil for a file.
    private func answer(
        about name: String, arrived: Timestamp? = nil,
        _ read: () throws(CommandFailure) -> FoundBytes
    ) -> WorkerMessage {
        do {
            let found = try read()
            let snapshot = try InputFile(found).snapshot
            images.makeRoom()
            let explanation = CrashExplanation(
                snapshot, images: images, naming: naming, threads: threads, cache: symbols)
            var report: [UInt8] = []
            if writesReports {
                let json = JSONReport(explanation, threads: threads, isPretty: false, input: name)
                json.write { piece in
                    if report.count <= WorkerMessage.mostBytes { report += piece }
                }
            }
            guard report.count <= WorkerMessage.mostBytes else {
                return .failed(
                    "its explanation is longer than \(WorkerMessage.mostBytes >> 20) MiB")
            }
            let now = SystemWallClock().now()
            let record = CrashRecord(
                explanation, contents: found.bytes,
                arrived: min(arrived ?? found.written ?? now, now))
            // Unreadable bytes are zeros here, which would explain nothing.
            if let sentence = found.cutSentences.first { return .failed(sentence) }
            return .explained(report: report, record: Array(record.json().utf8))
        } catch {
            return .failed(error.sentence)
        }
    }
}
