// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ReportDatabase

/// How it stands with the destination, which is one thing for all reports.
///
/// A destination that took nothing when it was last tried is left alone until it is due; then the
/// first report of a pass tries it for all.
struct DestinationWatch {
    /// What it is called on the disk: without its key.
    let name: String
    /// From 0 to 1, the same for one installation each time.
    let jitter: Double
    var standing: DestinationStanding?
    /// A pass counts as one try, with all its quick retries.
    var isTryNoted = false

    init(_ destination: any ReportDestination, clientID: UUID) {
        name = "\(destination.server) \(destination.identity.fingerprint(salt: clientID))"
        jitter = Double(clientID.uuid.15) / 255
    }

    /// Whether an answer shows that the trouble is over. Any does where there was no way to the
    /// server; that it fails or is busy says nothing of whether it refuses.
    func isOver(by meaning: AnswerMeaning) -> Bool {
        switch meaning {
        case .accepted, .tooLarge, .refused: true
        case .retry: standing?.trouble == .unreachable
        case .destinationRefused: false
        }
    }
}

extension UploadPass {
    /// Reads what is known of the destination, and ends the pass before it begins where the next
    /// try is not due.
    mutating func lookAtDestination() {
        // Unreadable is as good as unknown: the destination will say it again.
        destination.standing = (try? uploader.queue.standing(of: destination.name)) ?? nil
        guard let standing = destination.standing, !uploader.rules.ignoresSchedule else { return }
        let now = uploader.clock.now()
        let due = DestinationSchedule.dueTime(
            of: standing, jitter: destination.jitter, now: now)
        guard due > now else { return }
        end =
            switch standing.trouble {
            case .refused:
                .destinationRefused(
                    status: standing.status, words: standing.words, until: due)
            case .unreachable: .serverUnreachable(until: due)
            case nil: nil
            }
    }

    /// The destination refuses every request: no other report is tried.
    mutating func noteRefusal(_ response: UploadResponse, _ report: PendingReport) {
        note(.refused, status: response.status, words: response.words, report)
    }

    /// There was no way to the destination, or none that may be gone.
    mutating func note(
        _ trouble: DestinationStanding.Trouble, _ error: TransportError, _ report: PendingReport
    ) {
        note(trouble, status: nil, words: error.description, report)
    }

    private mutating func note(
        _ trouble: DestinationStanding.Trouble, status: Int?, words: String,
        _ report: PendingReport
    ) {
        let now = uploader.clock.now()
        defer {
            if trouble == .refused {
                let due = DestinationSchedule.dueTime(
                    of: destination.standing, jitter: destination.jitter, now: now)
                end = .destinationRefused(status: status, words: words, until: due)
            }
        }
        let known = destination.standing.flatMap { $0.trouble == trouble ? $0 : nil }
        guard !destination.isTryNoted || known == nil else { return }
        destination.isTryNoted = true
        let tries = known?.tries ?? 0
        write(
            DestinationStanding(
                server: uploader.destination.server, trouble: trouble, since: known?.since ?? now,
                lastTry: now, tries: tries == .max ? .max : tries + 1, status: status,
                words: words, recovered: destination.standing?.recovered), report)
    }

    /// The destination gave an answer that is about the report.
    mutating func noteAnswer(_ report: PendingReport) {
        guard var standing = destination.standing, standing.trouble != nil else { return }
        let now = uploader.clock.now()
        standing.trouble = nil
        standing.tries = 0
        standing.lastTry = now
        standing.recovered = now
        destination.isTryNoted = false
        write(standing, report)
    }

    private mutating func write(_ standing: DestinationStanding, _ report: PendingReport) {
        destination.standing = standing
        do throws(DatabaseError) {
            try uploader.queue.record(standing, of: destination.name)
        } catch {
            note(error, of: report)
        }
    }

    /// Whether a report's last try said nothing about it: then it is due whenever the destination
    /// is. What failed without an answer, or with the server's own failure, before the destination
    /// took reports again failed for the same reason.
    func isFreeOfBlame(_ state: DeliveryState) -> Bool {
        guard let outcome = state.lastOutcome else { return false }
        if outcome.concernsDestination { return true }
        guard let recovered = destination.standing?.recovered, outcome.time <= recovered else {
            return false
        }
        return outcome.status == nil || (500..<600).contains(outcome.status ?? 0)
    }

    /// When a report is due; `.distantPast` for one that is not to blame for its last failure.
    func dueTime(of report: PendingReport, now: Date) -> Date {
        guard !isFreeOfBlame(report.state) else { return .distantPast }
        return RetrySchedule(uploader.rules.limits).dueTime(
            attempts: max(report.attempts - report.state.destinationTries, 0),
            lastAttempt: report.lastAttempt, notBefore: report.state.notBefore,
            jitter: report.jitter, now: now)
    }

    /// The reports in the order of their turns: those whose last try was refused for the
    /// destination's sake behind the others, so that another makes the next try; and those that are
    /// not due last, since a success may make them so.
    func inOrderOfTurns(_ reports: [PendingReport]) -> [PendingReport] {
        let now = uploader.clock.now()
        var ranks: [[PendingReport]] = [[], [], []]
        for report in reports {
            let wasRefused = report.state.lastOutcome?.concernsDestination == true
            ranks[wasRefused ? 1 : dueTime(of: report, now: now) > now ? 2 : 0].append(report)
        }
        return ranks.flatMap { $0 }
    }
}

extension TransportError {
    /// What it says of the destination, and not of the report; nil where it says nothing of it.
    var trouble: DestinationStanding.Trouble? {
        switch self {
        case .cannotConnect, .tls: .unreachable
        // The whole report may have gone there and back: that is not done every quarter of an hour.
        case .redirectRefused: .refused
        case .invalidURL, .timedOut, .interrupted, .invalidAnswer, .bodyUnreadable, .unavailable:
            nil
        }
    }
}
