// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphHTTP
import EpitaphValues

/// The state of the destination, common to all reports. One that accepted nothing when last tried
/// gets no requests until it is due; then the first report of a pass tries it for all.
struct DestinationWatch {
    let name: String
    /// From 0 to 1, constant for one installation.
    let jitter: Double
    var standing: DestinationStanding?
    var isTryNoted = false

    init(_ destination: any ReportDestination, clientID: Epitaph.ID) {
        name = "\(destination.server) \(destination.identity.fingerprint(salt: clientID))"
        jitter = Double(clientID.lastByte) / 255
    }

    /// If the server could not be reached, any answer shows that the trouble is over; if it
    /// rejected every request, an answer that it fails or is busy proves nothing.
    func isOver(by meaning: AnswerMeaning) -> Bool {
        switch meaning {
        case .accepted, .tooLarge, .refused: true
        case .retry: standing?.trouble == .unreachable
        case .destinationRefused: false
        }
    }
}

extension UploadPass {
    /// Reads the destination's standing; ends the pass if the next try is not due.
    mutating func lookAtDestination() {
        // Unreadable counts as unknown: the destination will say it again.
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
        note(problem(of: try uploader.queue.record(standing, of: destination.name)), of: report)
    }

    /// Whether a report's last failure says nothing about it, so that it is due whenever the
    /// destination is: also a failure without an answer or with a server error before it recovered.
    func isFreeOfBlame(_ state: DeliveryState) -> Bool {
        guard let outcome = state.lastOutcome else { return false }
        if outcome.concernsDestination { return true }
        guard let recovered = destination.standing?.recovered, outcome.time <= recovered else {
            return false
        }
        return outcome.status == nil || (500..<600).contains(outcome.status ?? 0)
    }

    /// When a report is due; `.distantPast` if its last failure was not its own.
    func dueTime(of report: PendingReport, now: Timestamp) -> Timestamp {
        guard !isFreeOfBlame(report.state) else { return .distantPast }
        return RetrySchedule(uploader.rules.limits).dueTime(
            attempts: max(report.attempts - report.state.destinationTries, 0),
            lastAttempt: report.lastAttempt, notBefore: report.state.notBefore,
            jitter: report.jitter, now: now)
    }

    /// Reports whose last try failed because of the destination come after the others, so that a
    /// different one makes the next try. Those that are not due come last.
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
    var trouble: DestinationStanding.Trouble? {
        switch self {
        case .cannotConnect, .tls: .unreachable
        // This may have transferred the whole report, so it is not repeated every 15 minutes.
        case .redirectRefused: .refused
        // A different key makes a different destination, so this ends as soon as there is one.
        case .notSigned: .refused
        case .invalidURL, .timedOut, .interrupted, .invalidAnswer, .bodyUnreadable, .answerTooLarge,
            .answerNotKept, .unavailable:
            nil
        }
    }
}
