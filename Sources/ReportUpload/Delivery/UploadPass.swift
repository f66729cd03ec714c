// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ReportDatabase

/// One pass over the reports that are pending now: whose turn it is, and for how long to wait.
///
/// Reports come in the order of `retryOrder`. One whose try failed steps aside for as long as its
/// retry waits, and others go meanwhile.
struct UploadPass<Queue: UploadQueue> {
    /// A report's turn.
    struct Turn {
        var report: PendingReport
        /// Retries made in this pass.
        var retries = 0
        /// What came of the last try of this pass.
        var failure: UploadFailure?
        /// When it is its turn again; monotonic seconds.
        var due = 0.0
    }

    /// What came of a turn.
    enum Step {
        case settled(UploadResult)
        /// The server took it; the result comes when that is recorded.
        case sent
        /// Another try of the same report, after so many seconds.
        case again(Turn, seconds: Double)
    }

    var uploader: ReportUploader<Queue>
    var settings: UploadSettings
    var problems: [String] = []
    /// Why nothing more can be sent in this pass.
    var end: SkipReason?
    /// The server cannot be reached, or asked for a pause: monotonic seconds, and what to say.
    var pause: (end: Double, reason: SkipReason)?
    /// Tries in a row that found no connection.
    var failedConnections = 0
    /// How long nothing could be sent. Seconds.
    var heldUpSeconds = 0.0
    var destination: DestinationWatch
    private(set) var fresh: ArraySlice<PendingReport> = []
    /// Those that wait, the next one first.
    private(set) var waiting: [Turn] = []
    var batch = UploadBatch<Queue>()
    /// Results that have not been returned yet.
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

    /// The next report that is settled, and how; nil when all are.
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
                // Where the wait was cut short it was a stop, and the turn is over the same.
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
        // From the end: retries mostly come later than those that wait already.
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

    mutating func note(_ problem: DatabaseError, of report: PendingReport) {
        problems.append("report \(report.uuid.uuidString.lowercased()): \(problem)")
    }
}
