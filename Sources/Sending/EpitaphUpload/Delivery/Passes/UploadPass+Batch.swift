// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphValues

/// Attempts recorded together before the first of them is sent, and successes recorded together
/// while the next batch is sent. docs/decisions/database.md
///
/// A batch has one report until a destination proves to be quick; then four, and four times as many
/// each time. A slow answer reduces it to one. So a kill or a power failure affects only the last
/// second or the last few reports, which may be sent again or counted as tried.
struct UploadBatch<Queue: UploadQueue> {
    struct Success {
        let report: PendingReport
        let attempt: Queue.Attempt
        let serverID: String
    }

    typealias Start = Result<AttemptStart<Queue.Attempt>, DatabaseError>

    private static var mostReports: Int { 64 }
    /// From this size on, the disk's work is done while others are sent.
    static var worthwhileCount: Int { 8 }
    private static var quickSeconds: Double { 0.1 }
    private static var timeLimit: Double { 1 }

    private(set) var size = 1
    var begun: [Epitaph.ID: Start] = [:]
    var ahead: (reports: [PendingReport], starts: () -> [Start])?
    /// Sent but not recorded yet.
    private(set) var successes: [Success] = []
    private var firstSuccess = 0.0
    var recording: (successes: [Success], filings: () -> [Filing])?

    var mayBeginAhead: Bool { ahead == nil && begun.count <= size / 2 }

    mutating func joinAhead() {
        guard let (reports, starts) = ahead else { return }
        ahead = nil
        for (report, start) in zip(reports, starts()) { begun[report.uuid] = start }
    }

    var isDue: Bool { begun.isEmpty || size == 1 }

    func isOverdue(at now: Double) -> Bool {
        !successes.isEmpty && now - firstSuccess >= Self.timeLimit
    }

    mutating func add(_ success: Success, at now: Double) {
        if successes.isEmpty { firstSuccess = now }
        successes.append(success)
    }

    mutating func takeSuccesses() -> [Success] {
        defer { successes = [] }
        return successes
    }

    mutating func note(seconds: Double, isTaken: Bool) {
        size = isTaken && seconds < Self.quickSeconds ? min(size * 4, Self.mostReports) : 1
    }
}

extension UploadPass {
    /// The attempt of a report, begun together with those of the next reports.
    mutating func begin(
        _ turn: Turn
    ) throws(DatabaseError) -> AttemptStart<Queue.Attempt> {
        if batch.begun[turn.report.uuid] == nil { batch.joinAhead() }
        if let known = batch.begun.removeValue(forKey: turn.report.uuid) {
            beginAhead()
            return try known.get()
        }
        giveBackBegun()
        let others = turn.failure == nil ? following(atMost: batch.size - 1) : []
        let reports = [turn.report] + others
        for (report, start) in zip(reports, uploader.queue.beginAttempts(on: reports)) {
            batch.begun[report.uuid] = start
        }
        guard let own = batch.begun.removeValue(forKey: turn.report.uuid) else {
            throw DatabaseError.broken(
                path: turn.report.minidumpPath, reason: "the attempt was not begun")
        }
        return try own.get()
    }

    private mutating func beginAhead() {
        guard batch.mayBeginAhead else { return }
        let reports = following(atMost: batch.size)
        guard reports.count >= UploadBatch<Queue>.worthwhileCount else { return }
        batch.ahead = (reports, uploader.queue.attemptsAhead(on: reports))
    }

    /// The next reports that do not need the user's answer, which may take long.
    private mutating func following(atMost count: Int) -> [PendingReport] {
        let room = uploader.rateLimit.room(at: now) - 1 - batch.begun.count
        guard count > 0, room > 0, waiting.isEmpty else { return [] }
        let unbegun = fresh.lazy.filter { [begun = batch.begun] in begun[$0.uuid] == nil }
        var reports: [PendingReport] = []
        for report in unbegun.prefix(min(count, room)) {
            // Reports that the program refuses are removed, so their delivery must not begin.
            guard mayGoUnasked(report), reasonOfProgram(report) == nil else { break }
            reports.append(report)
        }
        return reports
    }

    mutating func note(_ success: UploadBatch<Queue>.Success) -> Step {
        batch.add(success, at: now)
        return .sent
    }

    /// Records successes when the batch is finished or its first report has waited long enough. If
    /// answers are slow, attempts begun ahead of their turn are withdrawn.
    mutating func recordIfDue() {
        guard batch.isDue || batch.isOverdue(at: now) else { return }
        if batch.size == 1 { return settleBatch() }
        beginRecording()
    }

    mutating func settleBatch() {
        beginRecording()
        finishRecording()
        giveBackBegun()
    }

    private mutating func beginRecording() {
        let successes = batch.takeSuccesses()
        guard !successes.isEmpty else { return }
        finishRecording()
        let outcomes = successes.map { (attempt: $0.attempt, serverID: $0.serverID) }
        if successes.count < UploadBatch<Queue>.worthwhileCount {
            note(successes, uploader.queue.complete(outcomes))
        } else {
            batch.recording = (successes, uploader.queue.beginCompleting(outcomes))
        }
    }

    private mutating func finishRecording() {
        guard let (successes, filings) = batch.recording else { return }
        batch.recording = nil
        note(successes, filings())
    }

    private mutating func note(_ successes: [UploadBatch<Queue>.Success], _ filings: [Filing]) {
        for (success, filing) in zip(successes, filings) {
            let (report, serverID) = (success.report, success.serverID)
            uploader.callbacks.delegate?.didSucceed(report, serverID: serverID)
            let result: UploadResult
            switch filing {
            case .filed: result = .sent(serverID: serverID)
            case .noted(let error):
                result = .failed(.notFiledYet(serverID: serverID, error))
            case .open(let error):
                uploader.unfiled.append(
                    .init(report: report, attempt: success.attempt, serverID: serverID))
                result = .failed(.notFiled(serverID: serverID, error))
            }
            recorded.append((report, result))
        }
    }

    private mutating func giveBackBegun() {
        batch.joinAhead()
        let attempts = batch.begun.values.compactMap { start -> Queue.Attempt? in
            guard case .success(.begun(let attempt, _)) = start else { return nil }
            return attempt
        }
        batch.begun = [:]
        guard !attempts.isEmpty else { return }
        for case let failure? in uploader.queue.withdraw(attempts) {
            problems.append("an attempt that was not made is counted: \(failure)")
        }
    }
}
