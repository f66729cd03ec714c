// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import Epitaph
import Glibc

/// What calls cost the thread that makes them.
struct Costs {
    let reporter: CrashReporter

    private static let errorRuns = 101

    func measure() {
        measureValues()
        measureMetrics()
        measureErrors()
    }

    private func measureValues() {
        show("`Epitaph[name] =`, a number", 1_000_000) { Epitaph["n"] = 1 }
        show("`Epitaph[name] =`, a short text", 1_000_000) { Epitaph["s"] = "x" }
        let file = Epitaph.breadcrumbFileProblem == nil ? ", in the file as well" : ""
        show("`note`\(file)", 1_000_000) { Epitaph.note("message") }
        show("`note` with two attributes\(file)", 200_000) {
            Epitaph.note("message", attributes: ["a": 1, "b": "x"])
        }
        show("`scope` with two attributes", 200_000) {
            Epitaph.scope(["a": 1, "b": "x"]) {}
        }
    }

    private func measureMetrics() {
        guard let metrics = Epitaph.metrics else { return }
        let counter = metrics.counter("requests")
        show("a counter's `increment`", 1_000_000) { counter.increment() }
        let durations = metrics.durations("handling")
        show("a duration's `record`", 1_000_000) { durations.record(.microseconds(40)) }
        show("a duration's `measure`", 1_000_000) { durations.measure {} }
    }

    /// Each call alone, system calls included: the thread's processor time, and by the clock, in
    /// which is what else the processors had to do.
    private func measureErrors() {
        // The thread that makes the reports begins after the start has returned.
        usleep(500_000)
        showOnce("a handled error, the first of the process", [ErrorCall().new()])
        let laterCall = ErrorCall()
        // 256 kinds are told apart: this one is to be among them.
        laterCall.repeated()
        showOnce(
            "a handled error of a kind that is new",
            (0..<Self.errorRuns).map { _ in laterCall.new() })
        let ofThreads = (0..<Self.errorRuns).map { _ in
            onThread { ErrorCall().new() }
        }
        showOnce("a handled error, the first of its thread", ofThreads)
        let inTask = onTask { (0..<Self.errorRuns).map { _ in laterCall.new() } }
        showOnce("a handled error in a task", inTask)
        let inScope = (0..<Self.errorRuns).map { _ in
            Epitaph.scope(["request": "7", "cents": 150]) {
                Epitaph.note("in the scope")
                return laterCall.new()
            }
        }
        showOnce("a handled error in a scope", inScope)
        showOnce(
            "of that the copy of the stack, without a task",
            (0..<Self.errorRuns).map { _ in laterCall.copyOfStack(inTask: false) })
        let inTaskAlone = onTask {
            (0..<Self.errorRuns).map { _ in laterCall.copyOfStack(inTask: true) }
        }
        showOnce("of that the copy of the stack, in a task", inTaskAlone)
        // A burst finds no memory that is ready.
        usleep(500_000)
        let burst = (0..<8).map { _ in laterCall.new(pausing: false) }
        showOnce("eight new ones in a row", burst)
        usleep(500_000)
        show("a handled error that is counted", 200_000) { laterCall.repeated() }
    }

    private func show(_ name: String, _ count: Int, _ body: () -> Void) {
        let start = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
        for _ in 0..<count { body() }
        print("| \(name) | \((nanoseconds(CLOCK_THREAD_CPUTIME_ID) - start) / count) ns | | |")
    }

    private func showOnce(_ name: String, _ calls: [ErrorCall.Time]) {
        let processor = calls.map(\.processor).sorted()
        let clock = calls.map(\.clock).sorted()
        func microseconds(_ nanoseconds: Int) -> String {
            "\(nanoseconds / 1_000).\(nanoseconds % 1_000 / 100) µs"
        }
        let middle = calls.count / 2
        let most = microseconds(processor[calls.count * 9 / 10])
        print(
            "| \(name) | \(microseconds(processor[middle])) | \(most) "
                + "| \(microseconds(clock[middle])) |")
    }
}

/// One call, measured.
struct ErrorCall: Sendable {
    /// Nanoseconds.
    struct Time: Sendable {
        var processor = 0
        var clock = 0
    }

    /// Of a kind that was not reported before.
    func new(pausing: Bool = true) -> Time {
        let error = LedgerError.kind(Int.random(in: 0..<(.max)))
        // Unlike a real program's, errors of this one come from one place.
        let exception = ExceptionModel(type: "\(error)", message: "no stock")
        let start = nanoseconds(CLOCK_MONOTONIC)
        let processorStart = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
        let id = Epitaph.report(exception: exception, properties: ["ledger": "7"])
        let processorEnd = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
        let end = nanoseconds(CLOCK_MONOTONIC)
        if pausing { rest(afterReport: id) }
        return Time(processor: processorEnd - processorStart, clock: end - start)
    }

    /// The next error is to find the thread that makes reports asleep, however busy the machine is.
    private func rest(afterReport id: Epitaph.ID?) {
        guard let id else { exit(1) }
        while Epitaph.errors?.recent.last?.id != id { usleep(1_000) }
        usleep(30_000)
    }

    /// The first part of a call alone, when as much has happened since the one before as since a
    /// report that was made.
    func copyOfStack(inTask isInTask: Bool) -> Time {
        _ = new()
        let start = nanoseconds(CLOCK_MONOTONIC)
        let processorStart = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
        let stack = epitaph_caller_stack_copy(isInTask)
        let processorEnd = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
        let end = nanoseconds(CLOCK_MONOTONIC)
        epitaph_caller_stack_free(stack)
        return Time(processor: processorEnd - processorStart, clock: end - start)
    }

    func repeated() {
        Epitaph.report(LedgerError.isLocked, properties: ["ledger": "7"])
    }
}

enum LedgerError: Error {
    case kind(Int)
    case isLocked
}

func nanoseconds(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
