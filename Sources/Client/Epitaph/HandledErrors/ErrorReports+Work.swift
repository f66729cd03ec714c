// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues
import Glibc
import Synchronization

extension ErrorReports {
    private enum Step {
        case make(ErrorJob)
        case describe([UnreadError])
        case wait(seconds: Double)
        case end
    }

    func startThread() throws(SystemError) {
        let work = work
        try BackgroundThread.start("epitaph-errors") { [weak self] in
            self?.worker.store(UInt(pthread_self()), ordering: .relaxed)
            // While waiting, the thread holds no reference: it ends when the program releases the
            // object.
            while let seconds = self?.workUntilIdle() {
                work.wait(seconds: seconds)
            }
        }
    }

    /// Makes all due reports. Returns seconds until the next check at the latest; nil at the end.
    private func workUntilIdle() -> Double? {
        while true {
            switch nextStep() {
            case .make(let job): make(job)
            case .describe(let unread): describe(unread)
            case .wait(let seconds): return seconds
            case .end:
                hasEnded?.stop()
                return nil
            }
        }
    }

    private func nextStep() -> Step {
        let now = seconds
        return state.withLock { state in
            if !state.queue.isEmpty { return .make(state.queue.removeFirst()) }
            if !state.unread.isEmpty {
                defer { state.unread = [] }
                return .describe(state.unread)
            }
            add(repeats.takeAll(), to: &state)
            if let followUp = state.flood.takeFollowUp(at: now, all: state.isStopped) {
                let key = followUp.key
                countRepeats(of: key, until: state.flood.windowEnd(of: key))
                let job = state.firsts.job(
                    for: followUp, with: state.recent.takeRepeats(of: key), newID: Epitaph.ID(),
                    timeNanoseconds: clock.now().nanosecondsSince1970)
                return .make(job)
            }
            state.firsts.forget { !state.flood.knows($0) }
            add(repeats.end { !state.flood.knows($0) }, to: &state)
            if state.isStopped {
                state.isRunning = false
                return .end
            }
            let refill = secondsToRefill(&state, at: now)
            let seconds = state.flood.nextEnd.map { max($0 - now, 0.01) } ?? 3_600
            return .wait(seconds: min(seconds, refill))
        }
    }

    /// Lets errors be remembered again, once a second. Returns seconds until that is due.
    private func secondsToRefill(_ state: inout State, at now: Double) -> Double {
        guard memoryLeft.load(ordering: .relaxed) < options.recentLimit else { return .infinity }
        let due = state.refillSeconds + 1
        guard now >= due else { return due - now }
        state.refillSeconds = now
        memoryLeft.store(options.recentLimit, ordering: .relaxed)
        return .infinity
    }

    private func describe(_ unread: [UnreadError]) {
        let errors = unread.map { $0.subject.described($0.properties) }
        state.withLock { state in
            for (unread, error) in zip(unread, errors) {
                state.recent.append(unread, as: error, limit: options.recentLimit)
            }
        }
    }

    private func make(_ job: ErrorJob) {
        let error = job.describedError
        let result = file(job, error)
        var failure: Refusal?
        if case .failure(let reason) = result { failure = reason }
        state.withLock { state in
            if failure != nil { state.losses.notFiled += 1 }
            if let followUp = job.followUp {
                state.recent.add(followUp.count, to: job.key)
            } else {
                state.recent.append(
                    RecentHandledError(
                        id: job.id, date: Timestamp(nanosecondsSince1970: job.timeNanoseconds),
                        error: error, repeatCount: 0, failure: failure),
                    of: job.key, limit: options.recentLimit)
                state.firsts.keep(job)
            }
        }
        prepareNext()
        // A report of files only is not an error.
        if job.subject.isCountable {
            observer?(
                HandledErrorNotice(
                    error: error, reportID: failure == nil ? job.id : nil,
                    count: job.followUp?.count ?? 1))
        }
        job.completion?(result)
    }

    private func file(
        _ job: ErrorJob, _ error: HandledError
    ) -> Result<HandledErrorOutcome, Refusal> {
        do throws(Refusal) {
            let process =
                if let capture = job.capture { try capture.read() } else {
                    try self.process.snapshot()
                }
            let snapshot = HandledErrorSnapshot(
                error: error, place: job.place, stack: job.stack, scope: job.scope,
                timeNanoseconds: job.timeNanoseconds,
                followUp: job.followUp, repeats: job.repeats
            ).applied(to: process)
            let problems = try HandledErrorFiling(process: self.process, options: options)
                .file(snapshot, as: job.id, with: job.attachments)
            return .success(.filed(job.id, problems: problems))
        } catch {
            return .failure(error)
        }
    }
}

extension Timestamp {
    /// Times before 1970 become 0.
    var nanosecondsSince1970: UInt64 {
        UInt64(exactly: (secondsSince1970 * 1e9).rounded()) ?? 0
    }

    init(nanosecondsSince1970 nanoseconds: UInt64) {
        self.init(secondsSince1970: Double(nanoseconds) / 1e9)
    }
}
