// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Glibc

struct MemoryPass {
    private let options: MemoryOptions
    private let dumps: any MemoryDumping
    private let onEvent: @Sendable (MemoryEvent) -> Void
    private var judge: PressureJudge
    private var dumpTimes: [Double] = []
    private var hasDump = false
    private var pace: PressurePace
    private var last: (reading: MemoryReading, seconds: Double)?
    private(set) var pause = 0.0

    init(
        _ options: MemoryOptions, dumps: some MemoryDumping,
        onEvent: @escaping @Sendable (MemoryEvent) -> Void
    ) {
        self.options = options
        self.dumps = dumps
        self.onEvent = onEvent
        judge = PressureJudge(marks: options.marks)
        pace = PressurePace(options)
    }

    /// Looks only at how much is used. Returns false if all figures are due or called for.
    mutating func lookBriefly(
        seconds: Double, _ use: (MemoryReading) -> MemoryReading
    ) -> Bool {
        guard let last, (0..<pace.longest).contains(seconds - last.seconds) else { return false }
        let reading = use(last.reading)
        pause = pace.seconds(after: reading, at: seconds)
        return reading.usedShare ?? 0 < pace.share && pace.secondsLeft == nil
    }

    mutating func look(at reading: MemoryReading, hasTriggered: Bool, seconds: Double) {
        last = (reading, seconds)
        // A brief look a moment ago may have called for this one.
        let secondsLeft = pace.secondsLeft
        pause = pace.seconds(after: reading, at: seconds)
        let change = judge.look(
            at: reading, hasTriggered: hasTriggered,
            secondsLeft: pace.secondsLeft ?? secondsLeft, seconds: seconds)
        switch change {
        case .began(let cause):
            hasDump = false
            if mayDump(seconds) { hasDump = take("\(cause): \(reading.words)") }
            onEvent(MemoryEvent(kind: .began(cause: cause), reading: reading, hasDump: hasDump))
        case .ended:
            end()
            onEvent(MemoryEvent(kind: .ended, reading: reading, hasDump: false))
        case nil: break
        }
    }

    private func take(_ words: String) -> Bool {
        let subject = MemorySubject().find(named: options.threadName)
        // The first thread is always there, and may have ended without harm to this.
        return dumps.take(
            includesAllThreads: options.mode == .full, subject: subject, words: words)
            || dumps.take(includesAllThreads: true, subject: getpid(), words: words)
    }

    mutating func end() {
        if hasDump { dumps.discard() }
        hasDump = false
    }

    private mutating func mayDump(_ seconds: Double) -> Bool {
        dumpTimes.removeAll { seconds - $0 >= 3_600 }
        guard options.mode != .none, dumpTimes.count < options.dumpsPerHour else { return false }
        dumpTimes.append(seconds)
        return true
    }
}
