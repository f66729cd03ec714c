// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// Distributes inputs to workers and answers to a sink. Holds a report for each worker.
final class ExplainRun {
    struct Plan {
        let jobs: Int
        let seconds: Int
        let memoryBytes: Int
        /// Seconds to retry a store that cannot be reached.
        let patience: Double
        let words: [String]
    }

    struct Counts {
        var explained = 0
        var failed = 0
        var skipped = 0
        /// Whether inputs are left for another run.
        var isCutShort = false
    }

    /// A worker may die of an earlier report, so a second one tries again.
    private static let mostEndings = 2
    /// Seconds for workers to finish after a stop.
    private static let drainSeconds = 8
    private static let tickSeconds = 0.25

    private let plan: Plan
    private let sink: any ExplanationSink
    private let stop: StopSignal
    private let progress: ProgressBar
    private let note: (String) -> Void
    /// Never stopped; for waits after `stop`.
    private let never: StopSignal
    private var list: InputList
    private var again: [ExplainWork] = []
    private var workers: [WorkerLink]
    private var counts = Counts()
    private var wantsInput = false
    private var trouble: Trouble?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

    init(
        _ plan: Plan, _ list: InputList, to sink: any ExplanationSink, stop: StopSignal,
        progress: ProgressBar, note: @escaping (String) -> Void
    ) throws(SystemError) {
        self.note = note
        self.plan = plan
        self.list = list
        self.sink = sink
        self.stop = stop
        self.progress = progress
        never = try StopSignal()
        workers = Array(repeating: WorkerLink(), count: plan.jobs)
    }

    deinit {
        buffer.deallocate()
    }

    func run() throws(CommandFailure) -> Counts {
        FreedMemory.keep()
        defer { for index in workers.indices { workers[index].end() } }
        var drainEnd: ContinuousClock.Instant?
        while true {
            if goesOn {
                try handOut()
            } else if drainEnd == nil {
                drainEnd = .now + .seconds(Self.drainSeconds)
            }
            let busy = workers.indices.filter { workers[$0].work != nil }
            guard !busy.isEmpty || goesOn && !(isListDone && again.isEmpty) else { break }
            try waitForNews(busy)
            try enforceLimits()
            try sink.tick()
            if let drainEnd, ContinuousClock.now >= drainEnd { break }
        }
        let isLeft = !again.isEmpty || workers.contains { $0.work != nil }
        counts.isCutShort = isLeft || !goesOn && !isListDone
        try sink.finish()
        return counts
    }

    private var goesOn: Bool { !stop.isStopped && sink.isOpen }
    private var isListDone = false

    private func handOut() throws(CommandFailure) {
        wantsInput = false
        if let trouble, !trouble.isOver { return }
        for index in workers.indices where workers[index].work == nil {
            guard let work = try nextWork() else { return }
            do throws(SystemError) {
                try workers[index].begin(work, plan.words, within: plan.seconds)
            } catch {
                workers[index].end()
                again.append(work)
                // Go on with fewer workers.
                guard workers.contains(where: { $0.work != nil }) else {
                    throw CommandFailure(.incomplete, "no worker can be started: \(error)")
                }
                return
            }
        }
    }

    private func nextWork() throws(CommandFailure) -> ExplainWork? {
        if let work = again.popLast() { return work }
        while true {
            switch list.next() {
            case .name(let name):
                guard !sink.has(name) else {
                    counts.skipped += 1
                    continue
                }
                return ExplainWork(name: name)
            case .unusable(let shown, let reason):
                guard !sink.has(shown) else {
                    counts.skipped += 1
                    continue
                }
                try accept(Explained(input: shown, content: .failure(reason)))
            case .notYet:
                wantsInput = true
                return nil
            case .postponed(let sentence):
                try wait(because: sentence)
                return nil
            case .impossible(let sentence): throw CommandFailure(.incomplete, sentence)
            case .end:
                isListDone = true
                return nil
            }
        }
    }

    /// Waits for an answer, a name, or the next check of limits.
    private func waitForNews(_ busy: [Int]) throws(CommandFailure) {
        let readsList = goesOn && wantsInput
        var awaited = busy.compactMap { index in
            workers[index].awaited.map { Awaited($0, .input) }
        }
        if readsList { awaited.append(Awaited(.standardInput, .input)) }
        let signal = goesOn ? stop : never
        guard case .ready(let places) = signal.wait(seconds: Self.tickSeconds, for: awaited) else {
            return
        }
        for place in places {
            guard place < busy.count else {
                try orReason(.incomplete, "the list cannot be read", list.read(into: buffer))
                continue
            }
            if let event = workers[busy[place]].read(into: buffer) {
                try take(event, from: busy[place])
            }
        }
    }

    private func take(_ event: WorkerLink.Event, from index: Int) throws(CommandFailure) {
        switch event {
        case .answer(.explained(let report, let record), let work):
            try accept(Explained(input: work.name, content: .report(report, record: record)))
        case .answer(.failed(let sentence), let work):
            try accept(Explained(input: work.name, content: .failure(sentence)))
        case .answer(.postponed(let sentence), let work):
            again.append(work)
            try wait(because: sentence)
        case .answer(.impossible(let sentence), _): throw CommandFailure(.incomplete, sentence)
        case .answer(.ready, _), .answer(.leaving, _): break
        case .ended(let work, let how):
            guard workers[index].isReady else {
                throw CommandFailure(.incomplete, "a worker cannot start: \(how)")
            }
            guard var work else { return }
            work.endings += 1
            guard work.endings >= Self.mostEndings else { return again.append(work) }
            let sentence = "no process could explain it, \(Self.mostEndings) tried: \(how)"
            try accept(Explained(input: work.name, content: .failure(sentence)))
        }
    }

    /// Ends workers over their limits. A worker that has answered is not checked: it waits for us.
    private func enforceLimits() throws(CommandFailure) {
        for index in workers.indices {
            guard let work = workers[index].work, let file = workers[index].awaited,
                case .timedOut = never.wait(seconds: 0, for: [Awaited(file, .input)])
            else { continue }
            let reason: String
            if ContinuousClock.now >= workers[index].deadline {
                reason = "explaining it took longer than \(plan.seconds) s"
            } else if workers[index].privateBytes > plan.memoryBytes {
                reason = "explaining it took more than \(plan.memoryBytes >> 20) MB of memory"
            } else {
                continue
            }
            workers[index].end()
            try accept(Explained(input: work.name, content: .failure(reason)))
        }
    }

    /// An unreachable store fails no input: the run pauses, and ends when its patience does.
    private func wait(because sentence: String) throws(CommandFailure) {
        var trouble = trouble ?? Trouble()
        guard trouble.lengthen(patience: plan.patience) else {
            throw CommandFailure(.incomplete, sentence)
        }
        if trouble.count == 1, !stop.isStopped { note("\(sentence); it is tried again") }
        self.trouble = trouble
    }

    private func accept(_ explained: Explained) throws(CommandFailure) {
        if BucketName.isOne(explained.input) { trouble = nil }
        if explained.isFailure { counts.failed += 1 } else { counts.explained += 1 }
        try sink.accept(explained)
        if let total = list.count {
            let done = counts.explained + counts.failed + counts.skipped
            progress.update(done: done, of: total)
        }
    }
}
