// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LinuxSystem
import Synchronization

/// Takes events in memory and brings them to the disk, and then to observers, from a thread of its
/// own. `step` does the work, so that tests can do without the thread.
final class EventWriter: Sendable {
    let options: EventLogOptions
    let context: CurrentContext
    let clock: any StoppableClock
    let tally: EventTally
    let observers = EventObservers()
    private let launchID: UUID
    private let databasePath: String
    /// Of the process that made it: in a forked child it takes nothing.
    private let processID = ProcFileSystem.ownProcessID
    private let wake: WakeSignal
    private let end: StopSignal
    private let state = Mutex(State())
    /// Touched by the writing thread alone.
    private let desk = Mutex(Desk())
    /// Called when there is something new on the disk.
    private let didWrite: @Sendable () -> Void

    private struct State {
        var buffer = EventBuffer()
        var lastSequence: UInt64 = 0
        var isClosed = false
        var flushes: [StopSignal] = []
    }

    private struct Desk {
        var store: EventStore?
        var reportedDrops = DropCounts()
        var bytesSincePruning = Int.max
    }

    init(
        databasePath: String, launchID: UUID, options: EventLogOptions, context: CurrentContext,
        clock: any StoppableClock, tally: EventTally, didWrite: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        self.databasePath = databasePath
        self.launchID = launchID
        self.options = options
        self.context = context
        self.clock = clock
        self.tally = tally
        self.didWrite = didWrite
        wake = try WakeSignal()
        end = try StopSignal()
    }

    /// False in a forked child of the process that made it. Asked before any lock is taken: another
    /// thread may have held it when the process was forked.
    var isOwn: Bool { ProcFileSystem.ownProcessID == processID }

    // MARK: Any thread

    @discardableResult
    func record(_ payload: EventPayload) -> Bool {
        guard isOwn else { return false }
        let size = payload.details.byteCount
        guard size <= options.eventLimitBytes else {
            tally.drop(1, .tooLarge)
            return false
        }
        var context = context.snapshot
        if !options.includesPersonalData { context = context.withoutPersonalData }
        let (time, monotonic) = (clock.now(), clock.monotonicSeconds())
        let id = UUID()
        let result: Result<Bool, Refusal> = state.withLock { state in
            guard !state.isClosed else { return .failure(Refusal(reason: .notRunning)) }
            state.lastSequence += 1
            let event = Event(
                id: id, launchID: launchID, sequence: state.lastSequence, time: time,
                monotonicSeconds: monotonic, context: context, payload: payload)
            switch state.buffer.append(event, byteCount: size, at: monotonic, options) {
            case .stored(let wakesWriter): return .success(wakesWriter)
            case .full: return .failure(Refusal(reason: .bufferFull))
            }
        }
        switch result {
        case .success(let wakesWriter):
            tally.change { $0.recorded += 1 }
            if wakesWriter { wake.give() }
            return true
        case .failure(let refusal):
            tally.drop(1, refusal.reason)
            return false
        }
    }

    private struct Refusal: Error {
        let reason: DropReason
    }

    /// Takes no more events and lets the thread end once the rest is written.
    func close() {
        state.withLock { $0.isClosed = true }
        wake.give()
    }

    /// Waits until the thread has ended.
    func waitForEnd(seconds: Double) -> Bool { end.wait(seconds: seconds) }

    /// Has everything that waits written now; `signal` is given once that was tried.
    func flush(_ signal: StopSignal) {
        state.withLock { $0.flushes.append(signal) }
        wake.give()
    }

    // MARK: The writing thread

    func run() {
        while true {
            let seconds = step()
            if state.withLock({ $0.isClosed && $0.buffer.events.isEmpty }) { break }
            wake.wait(seconds: seconds ?? 86_400)
        }
        // A flush that was asked for meanwhile.
        _ = step()
        end.stop()
    }

    /// Writes what is due.
    ///
    /// - Returns: seconds until something is, nil while there is nothing.
    func step() -> Double? {
        let (events, flushes) = state.withLock { state in
            let due = state.buffer.secondsToDue(at: clock.monotonicSeconds(), options)
            guard state.isClosed || !state.flushes.isEmpty || due == 0 else {
                return ([Event](), [StopSignal]())
            }
            defer { state.flushes = [] }
            return (state.buffer.takeAll(), state.flushes)
        }
        if !events.isEmpty { desk.withLock { write(events, &$0) } }
        for flush in flushes { flush.stop() }
        return state.withLock { state in
            state.buffer.secondsToDue(at: clock.monotonicSeconds(), options)
        }
    }

    private func write(_ events: [Event], _ desk: inout Desk) {
        let drops = tally.present.drops
        let news = drops.since(desk.reportedDrops)
        var events = events
        if news.total > 0 { events.append(report(of: news)) }
        var lines: [[UInt8]] = []
        var size = 0
        var isReported = true
        for event in events {
            let isReport = event.type == .eventsDropped
            guard let line = encoded(event, isReport) else { continue }
            if size + line.count > options.requestBytes, !lines.isEmpty {
                isReported = store(lines, size, hasReport: false, &desk)
                (lines, size) = ([], 0)
            }
            lines.append(line)
            size += line.count + 1
        }
        if !lines.isEmpty { isReported = store(lines, size, hasReport: news.total > 0, &desk) }
        if news.total > 0, isReported { desk.reportedDrops = drops }
        // The disk comes first; observers learn of what could not be written as well.
        tally.drop(observers.offer(events), .observerBehind)
    }

    private func report(of drops: DropCounts) -> Event {
        let sequence = state.withLock { state in
            state.lastSequence += 1
            return state.lastSequence
        }
        var context = context.snapshot
        if !options.includesPersonalData { context = context.withoutPersonalData }
        return Event(
            launchID: launchID, sequence: sequence, time: clock.now(),
            monotonicSeconds: clock.monotonicSeconds(), context: context,
            payload: .eventsDropped(drops.details))
    }

    private func encoded(_ event: Event, _ isReport: Bool) -> [UInt8]? {
        guard let line = event.line() else {
            tally.drop(1, .encoder)
            return nil
        }
        guard isReport || line.count <= options.eventLimitBytes else {
            tally.drop(1, .tooLarge)
            return nil
        }
        return line
    }

    /// - Returns: whether the lines are on the disk.
    private func store(
        _ lines: [[UInt8]], _ size: Int, hasReport: Bool, _ desk: inout Desk
    ) -> Bool {
        // A report of drops that is dropped is made again, and is no event that was lost.
        let count = lines.count - (hasReport ? 1 : 0)
        do throws(SystemError) {
            let store = try opened(&desk)
            prune(store, &desk)
            guard desk.bytesSincePruning <= options.diskLimitBytes else {
                tally.drop(count, .overLimit)
                return false
            }
            try store.append(lines)
            // What a small file takes of the disk is a block.
            desk.bytesSincePruning += max(size, 4_096)
            tally.change { status in
                status.written += UInt64(lines.count)
                status.storeProblem = nil
            }
            didWrite()
            return true
        } catch {
            tally.drop(count, error.isFull ? .diskFull : .storeFailed)
            tally.change { $0.storeProblem = "events cannot be written: \(error)" }
            return false
        }
    }

    /// Opened when it is needed first, and again after a failure: a directory may come.
    private func opened(_ desk: inout Desk) throws(SystemError) -> EventStore {
        if let store = desk.store { return store }
        let store = try EventStore(inDatabase: databasePath, clock: clock)
        desk.store = store
        return store
    }

    /// The process that sends from the directory prunes it. Where that is another one, batches are
    /// written until they have doubled what there may be.
    private func prune(_ store: EventStore, _ desk: inout Desk) {
        guard desk.bytesSincePruning > options.diskLimitBytes / 8 else { return }
        let isFirst = desk.bytesSincePruning == .max
        guard let claim = (try? SendingClaim.take(in: store.directory)) ?? nil else {
            if isFirst { desk.bytesSincePruning = 0 }
            return
        }
        withExtendedLifetime(claim) {
            guard var batches = try? store.batches(),
                let dropped = try? store.prune(&batches, by: options.retention)
            else { return }
            tally.drop(dropped)
            desk.bytesSincePruning = 0
        }
        if isFirst { desk.bytesSincePruning = 0 }
    }
}

extension EventLogOptions {
    var retention: EventRetention {
        EventRetention(ageLimitSeconds: ageLimitSeconds, diskLimitBytes: diskLimitBytes)
    }
}
