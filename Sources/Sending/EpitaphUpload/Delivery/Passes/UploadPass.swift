// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphValues

/// A pass in the order of `retryOrder`. While a failed report waits, others are sent.
struct UploadPass<Queue: UploadQueue> {
    struct Turn {
        var report: PendingReport
        var retries = 0
        var failure: UploadFailure?
        /// When it is next, in monotonic seconds.
        var due = 0.0
    }

    enum Step {
        case settled(UploadResult)
        /// The server accepted it; the result is returned once recorded.
        case sent
        case again(Turn, seconds: Double)
    }

    var uploader: ReportUploader<Queue>
    var settings: UploadSettings
    var problems: [String] = []
    var remarks: [String] = []
    var end: SkipReason?
    /// The server cannot be reached, or asked for a pause: until when, in monotonic seconds.
    var pause: (end: Double, reason: SkipReason)?
    var failedConnections = 0
    var heldUpSeconds = 0.0
    /// Seconds of pauses that the server asked for since it last took a report; nil for none.
    var askedSeconds: Double?
    var destination: DestinationWatch
    var answers: [Epitaph.ID: ConfirmationAnswer] = [:]
    var isWanted: [Epitaph.ID: Bool] = [:]
    private(set) var fresh: ArraySlice<PendingReport> = []
    private(set) var waiting: [Turn] = []
    var batch = UploadBatch<Queue>()
    var recorded: ArraySlice<(PendingReport, UploadResult)> = []

    init(
        _ uploader: ReportUploader<Queue>, settings: UploadSettings, reports: [PendingReport]
    ) {
        self.uploader = uploader
        self.settings = settings
        destination = DestinationWatch(uploader.destination, clientID: settings.clientID)
        lookAtDestination()
        fresh =
            switch uploader.rules.limits.retryOrder {
            case .queue: inOrderOfTurns(reports)[...]
            case .stack: inOrderOfTurns(reports.reversed())[...]
            }
    }

    mutating func next() -> (PendingReport, UploadResult)? {
        while true {
            if let result = recorded.popFirst() { return result }
            if end == nil, uploader.clock.isStopped { end = .stopped }
            if end != nil { settleBatch() } else { recordIfDue() }
            if !recorded.isEmpty { continue }
            guard let turn = nextTurn() else {
                settleBatch()
                if !recorded.isEmpty { continue }
                guard let first = waiting.first else { return nil }
                uploader.clock.wait(seconds: max(first.due - now, 0))
                // If the wait was cut short, the pass was stopped, and the turn is over anyway.
                waiting[0].due = min(first.due, now)
                continue
            }
            switch take(turn) {
            case .settled(let result): return (turn.report, result)
            case .sent: continue
            case .again(let later, let seconds): wait(later, seconds: seconds)
            }
        }
    }

    var now: Double { uploader.clock.monotonicSeconds() }

    private mutating func nextTurn() -> Turn? {
        if let first = waiting.first, end != nil || first.due <= now {
            return waiting.removeFirst()
        }
        return fresh.popFirst().map { Turn(report: $0) }
    }

    private mutating func wait(_ turn: Turn, seconds: Double) {
        var turn = turn
        turn.due = now + seconds
        // Searches from the end: most retries come later than those that already wait.
        let place = waiting.lastIndex { $0.due <= turn.due }.map { $0 + 1 } ?? 0
        waiting.insert(turn, at: place)
    }

    private mutating func take(_ turn: Turn) -> Step {
        if turn.failure == nil, let reason = reasonNotToSend(turn.report) {
            return .settled(.skipped(reason))
        }
        if let reason = end ?? waitForLeave(turn.report) {
            return .settled(turn.failure.map { .failed($0) } ?? .skipped(reason))
        }
        return attempt(turn)
    }

    mutating func note(_ problem: DatabaseError?, of report: PendingReport) {
        if let problem { problems.append("report \(report.uuid.description): \(problem)") }
    }
}
