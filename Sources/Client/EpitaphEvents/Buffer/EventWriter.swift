// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// Buffers events; its thread writes them to disk, then hands them to observers, all in `step`.
final class EventWriter: Sendable {
    let options: EventLogOptions
    let context: CurrentContext
    let clock: any StoppableClock
    let tally: EventTally
    let observers = EventObservers()
    private let launchID: Epitaph.ID
    private let databasePath: String
    private let processID = ProcFileSystem.ownProcessID
    private let wake: WakeSignal
    private let end: StopSignal
    private let state = ForkSafeMutex(State())
    /// Used only by the writing thread.
    private let desk = ForkSafeMutex(Desk())
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
        databasePath: String, launchID: Epitaph.ID, options: EventLogOptions,
        context: CurrentContext,
        clock: any StoppableClock, tally: EventTally, didWrite: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        self.databasePath = databasePath
        self.launchID = launchID
        self.options = options
        self.context = context
        self.clock = clock
        self.tally = tally
        self.didWrite = didWrite
        wake = WakeSignal()
        end = try StopSignal()
    }

    /// False in a forked child, whose events nobody writes.
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
        let id = Epitaph.ID()
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

    /// Accepts no more events; the thread ends once the rest is written.
    func close() {
        state.withLock { $0.isClosed = true }
        wake.give()
    }

    var hasWaiting: Bool { state.withLock { !$0.buffer.events.isEmpty } }

    func waitForEnd(seconds: Double) -> Bool { end.wait(seconds: seconds) }

    /// Asks for all waiting events to be written now; sets `signal` once that was tried. Returns
    /// false if the log was closed.
    func flush(_ signal: StopSignal) -> Bool {
        let isTaken = state.withLock { state in
            if !state.isClosed { state.flushes.append(signal) }
            return !state.isClosed
        }
        wake.give()
        return isTaken
    }

    // MARK: The writing thread

    func run() {
        while true {
            let seconds = step()
            if state.withLock({ $0.isClosed && $0.buffer.events.isEmpty }) { break }
            wake.wait(seconds: seconds ?? 86_400)
        }
        // For a flush requested in the meantime.
        _ = step()
        end.stop()
    }

    /// Writes what is due. Returns seconds until more is due; nil if nothing waits.
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
        // Disk first. Observers also get events that could not be written.
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

    /// - Returns: whether the lines are on disk.
    private func store(
        _ lines: [[UInt8]], _ size: Int, hasReport: Bool, _ desk: inout Desk
    ) -> Bool {
        // A dropped report of drops is made again, so it does not count as lost.
        let count = lines.count - (hasReport ? 1 : 0)
        do throws(SystemError) {
            let store = try opened(&desk)
            prune(store, &desk)
            guard desk.bytesSincePruning <= options.diskLimitBytes else {
                tally.drop(count, .overLimit)
                return false
            }
            try store.append(lines)
            // A small file takes a whole disk block.
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

    private func opened(_ desk: inout Desk) throws(SystemError) -> EventStore {
        if let store = desk.store { return store }
        let store = try EventStore(inDatabase: databasePath, clock: clock)
        desk.store = store
        return store
    }

    /// While a sender holds the claim, it prunes; until then, at most the disk limit is written.
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
        EventRetention(ageLimitSeconds: ageLimit.inSeconds, diskLimitBytes: diskLimitBytes)
    }
}
