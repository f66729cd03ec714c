// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphUpload
import EpitaphValues

struct EventSender {
    private let databasePath: String
    private let destination: any EventDestination
    private let transport: any Transport
    private let options: EventLogOptions
    private let clock: any StoppableClock
    private let hasConsent: @Sendable () -> Bool
    private let tally: EventTally
    private var store: EventStore?
    private var hold = ServerHold()
    private var rate: RateLimit
    /// Batches per request; reduced after the server refused one, until the bad batch is found.
    private var batchLimit = Self.mostBatches
    /// Batches that failed although the server works: number of failures and time of the next try.
    private var postponed: [EventBatch: (failures: Int, dueTime: Double)] = [:]
    /// Batches that the server has but that could not be removed from disk.
    private var delivered: Set<EventBatch> = []
    private let jitter = Double.random(in: 0...1)

    private static let mostBatches = 64
    /// Seconds between checks for consent and for another sending process.
    private static let askAgainSeconds = 15.0

    init(
        databasePath: String, to destination: any EventDestination, by transport: any Transport,
        options: EventLogOptions, clock: any StoppableClock,
        hasConsent: @escaping @Sendable () -> Bool, tally: EventTally
    ) {
        self.databasePath = databasePath
        self.destination = destination
        self.transport = transport
        self.options = options
        self.clock = clock
        self.hasConsent = hasConsent
        self.tally = tally
        rate = RateLimit(reportsPerMinute: options.retries.reportsPerMin)
    }

    mutating func step() -> Double? {
        guard !clock.isStopped else { return nil }
        do throws(SystemError) {
            let store = try opened()
            guard let claim = try SendingClaim.take(in: store.directory) else {
                return Self.askAgainSeconds
            }
            defer { withExtendedLifetime(claim) {} }
            return try step(store)
        } catch {
            tally.change { $0.sendingProblem = "events cannot be sent: \(error)" }
            return Self.askAgainSeconds
        }
    }

    private mutating func opened() throws(SystemError) -> EventStore {
        if let store { return store }
        let made = try EventStore(inDatabase: databasePath, clock: clock)
        store = made
        return made
    }

    private mutating func step(_ store: EventStore) throws(SystemError) -> Double? {
        var batches = try store.batches()
        tally.drop(try store.prune(&batches, by: options.retention))
        removeDelivered(&batches, store)
        let present = Set(batches.map(\.batch))
        postponed = postponed.filter { present.contains($0.key) }
        guard !batches.isEmpty else { return nil }
        guard hasConsent() else { return Self.askAgainSeconds }
        let now = clock.monotonicSeconds()
        let wait = max(hold.end - now, rate.delaySeconds(at: now))
        guard wait <= 0 else { return wait }
        let due = batches.filter { (postponed[$0.batch]?.dueTime ?? now) <= now }
        guard !due.isEmpty else {
            let next = postponed.values.map(\.dueTime).min() ?? now
            return max(next - now, 0.1)
        }
        rate.note(at: now)
        try send(chosen(from: due), from: store)
        return 0
    }

    private func chosen(from due: [StoredBatch]) -> [EventBatch] {
        var bytes = 0
        var chosen: [EventBatch] = []
        for stored in due.prefix(batchLimit) {
            guard chosen.isEmpty || bytes + stored.sizeBytes <= options.requestBytes else { break }
            chosen.append(stored.batch)
            bytes += stored.sizeBytes
        }
        return chosen
    }

    private mutating func send(
        _ batches: [EventBatch], from store: EventStore
    ) throws(SystemError) {
        var opened: [(batch: EventBatch, file: FileDescriptor)] = []
        for batch in batches {
            if let file = try store.open(batch) { opened.append((batch, file)) }
        }
        let sent = opened.map(\.batch)
        guard !sent.isEmpty else { return }
        let answer: (response: UploadResponse, rejected: Int)
        do throws(TransportError) {
            var pieces: [StreamedBody.Piece] = []
            for (_, file) in opened { pieces.append(.file(try BodyFile(reading: file))) }
            answer = try self.answer(to: StoppableBody(StreamedBody(pieces), clock: clock))
        } catch {
            guard !clock.isStopped else { return }
            note("\(error)")
            if case .bodyUnreadable = error {
                postpone(sent)
            } else {
                holdOff(askedSeconds: nil, options.retries)
            }
            return
        }
        judge(answer.response, rejected: answer.rejected, sent, store)
    }

    /// The first answer that is no success, or the last, and how many events were rejected.
    private func answer(
        to body: any BodySource
    ) throws(TransportError) -> (response: UploadResponse, rejected: Int) {
        var answer = UploadResponse(status: 204)
        var rejected = 0
        for var request in try destination.requests(body: body, id: Epitaph.ID()) {
            request.body = StoppableBody(request.body, clock: clock)
            answer = try transport.send(request)
            guard answer.isSuccess else { break }
            rejected += min(max(destination.rejectedCount(in: answer), 0), 1 << 32)
        }
        return (answer, rejected)
    }

    private mutating func judge(
        _ response: UploadResponse, rejected: Int, _ sent: [EventBatch], _ store: EventStore
    ) {
        switch destination.meaning(of: response, now: clock.now()) {
        case .accepted:
            hold.noteAnswer()
            batchLimit = min(batchLimit * 2, Self.mostBatches)
            remove(sent, store)
            let count = sent.reduce(0) { $0 + $1.count }
            let refused = min(rejected, count)
            tally.change { status in
                status.sent += UInt64(count - refused)
                status.sendingProblem = nil
            }
            guard refused > 0 else { return }
            tally.drop(refused, .refused)
        case .retry(let askedSeconds):
            // RFC 6585 4 and RFC 9110 15.6.4: another request now would fail too.
            if [429, 503].contains(response.status) || askedSeconds != nil {
                holdOff(askedSeconds: askedSeconds, options.retries)
            } else {
                hold.noteAnswer()
                // One of the batches may be bad. Sending each alone finds it.
                postpone(sent)
                batchLimit = 1
            }
        case .destinationRefused:
            // If a person has to fix the problem, quick retries are pointless.
            var retries = options.retries
            retries.retryBehaviour = .none
            holdOff(askedSeconds: nil, retries)
        case .tooLarge, .refused:
            hold.noteAnswer()
            if sent.count > 1 {
                batchLimit = max(sent.count / 2, 1)
            } else {
                remove(sent, store)
                tally.drop(sent.reduce(0) { $0 + $1.count }, .refused)
            }
        }
        note("\(destination.server) \(response.sentence)")
    }

    private mutating func postpone(_ batches: [EventBatch]) {
        let schedule = RetrySchedule(options.retries)
        for batch in batches {
            let failures = min(postponed[batch]?.failures ?? 0, Int.max - 1) + 1
            let delay = schedule.delaySeconds(afterFailures: failures, jitter: jitter)
            postponed[batch] = (failures, clock.monotonicSeconds() + delay)
        }
    }

    private mutating func holdOff(askedSeconds: Double?, _ limits: UploadLimits) {
        let jitter = jitter
        hold.noteFailure(at: clock.monotonicSeconds(), askedSeconds: askedSeconds) {
            RetrySchedule(limits).delaySeconds(afterFailures: $0, jitter: jitter)
        }
    }

    private mutating func remove(_ batches: [EventBatch], _ store: EventStore) {
        for batch in batches where (try? store.remove(batch)) == nil { delivered.insert(batch) }
    }

    /// Removes batches that the server already has. This process does not send them again.
    private mutating func removeDelivered(_ batches: inout [StoredBatch], _ store: EventStore) {
        for batch in delivered where (try? store.remove(batch)) != nil { delivered.remove(batch) }
        batches.removeAll { delivered.contains($0.batch) }
    }

    private func note(_ problem: String) {
        tally.change { $0.sendingProblem = "events were not accepted: \(problem)" }
    }
}
