// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphHTTP
import EpitaphValues

extension UploadPass {
    mutating func judge(
        _ error: TransportError, _ turn: Turn, _ attempt: Queue.Attempt
    ) -> Step {
        let failure = UploadFailure.transport(error)
        let state = noting(
            failure, status: nil, turn, concernsDestination: error.trouble != nil)
        if let trouble = error.trouble { note(trouble, error, turn.report) }
        var delay: Double?
        if case .cannotConnect = error {
            failedConnections += 1
            delay = quickDelay(retry: failedConnections, notBefore: nil)
            // No other report can succeed meanwhile; without a retry left, none in this pass.
            if let delay {
                pause = (now + delay, .serverUnavailable)
            } else {
                end = .serverUnavailable
            }
        } else if error.concernsEveryRequest {
            if end == nil { end = .serverUnavailable }
        } else {
            delay = quickDelay(retry: turn.retries + 1, notBefore: nil)
        }
        return leave(attempt, turn, failure, state, after: delay)
    }

    mutating func judge(
        _ response: UploadResponse, _ sizes: ReportSizes, _ turn: Turn, _ attempt: Queue.Attempt
    ) -> Step {
        failedConnections = 0
        let meaning = uploader.destination.meaning(of: response, now: uploader.clock.now())
        if destination.isOver(by: meaning) { noteAnswer(turn.report) }
        switch meaning {
        case .accepted:
            askedSeconds = askedSeconds.map { _ in 0 }
            let serverID = Report.plainServerID(uploader.destination.serverID(in: response))
            return note(
                .init(report: turn.report, attempt: attempt, serverID: serverID))
        case .retry(let asked):
            return retry(response, asked, turn, attempt)
        case .tooLarge:
            return tooLarge(response, sizes, turn, attempt)
        case .refused:
            let failure = UploadFailure.refused(response)
            var state = noting(failure, status: response.status, turn)
            state.isFinal = true
            return leave(attempt, turn, failure, state, after: nil)
        case .destinationRefused:
            let failure = UploadFailure.refused(response)
            let state = noting(
                failure, status: response.status, turn, concernsDestination: true)
            noteRefusal(response, turn.report)
            return leave(attempt, turn, failure, state, after: nil)
        }
    }

    private mutating func retry(
        _ response: UploadResponse, _ asked: Double?, _ turn: Turn, _ attempt: Queue.Attempt
    ) -> Step {
        let failure = UploadFailure.refused(response)
        var state = noting(failure, status: response.status, turn)
        let asked = asked ?? (response.status == 429 ? Self.unsaidPauseSeconds : nil)
        if let asked, asked > 0 {
            let until = uploader.clock.now().adding(seconds: asked)
            state.notBefore = until
            // These two concern the server, not the report: RFC 9110 15.6.4, RFC 6585 4.
            if [429, 503].contains(response.status) { pauseServer(asked, until, turn.report) }
        }
        let delay = quickDelay(retry: turn.retries + 1, notBefore: asked)
        return leave(attempt, turn, failure, state, after: delay)
    }

    /// The pause for a 429 that names none, as in Sentry's clients.
    private static var unsaidPauseSeconds: Double { 60 }

    private mutating func pauseServer(
        _ seconds: Double, _ until: Timestamp, _ report: PendingReport
    ) {
        askedSeconds = askedSeconds ?? 0
        pause = (now + seconds, .serverPaused(until: until))
        note(
            problem(of: try uploader.queue.pause(uploader.destination.server, until: until)),
            of: report)
    }

    private mutating func tooLarge(
        _ response: UploadResponse, _ sizes: ReportSizes, _ turn: Turn, _ attempt: Queue.Attempt
    ) -> Step {
        let failure = UploadFailure.tooLarge(response, sizes)
        var state = noting(failure, status: response.status, turn)
        state.isFinal = true
        guard !sizes.attachments.isEmpty, state.attachments != .leftOut else {
            return leave(attempt, turn, failure, state, after: nil)
        }
        state.attachments = .offered
        let delegate = uploader.callbacks.delegate
        guard delegate?.shouldLeaveOutAttachments(turn.report, sizes) == true else {
            return leave(attempt, turn, failure, state, after: nil)
        }
        state.attachments = .leftOut
        state.isFinal = false
        return leave(attempt, turn, failure, state, after: 0)
    }

    /// - Parameter delay: seconds until the report's next try in this pass; nil for none.
    private mutating func leave(
        _ attempt: Queue.Attempt, _ turn: Turn, _ failure: UploadFailure, _ state: DeliveryState,
        after delay: Double?
    ) -> Step {
        note(
            problem(of: try uploader.queue.leave(attempt, state, isRequestSettled: state.isFinal)),
            of: turn.report)
        let next: NextTry =
            state.isFinal ? .onRequest : delay.map { .soon(seconds: $0) } ?? .later
        uploader.callbacks.delegate?.didFail(turn.report, failure, next: next)
        if state.isFinal { uploader.callbacks.delegate?.didGiveUp(turn.report, failure) }
        guard let delay else { return .settled(.failed(failure)) }
        var turn = turn
        turn.retries += 1
        turn.failure = failure
        turn.report.state = state
        return .again(turn, seconds: delay)
    }

    private func noting(
        _ failure: UploadFailure, status: Int?, _ turn: Turn, concernsDestination: Bool = false
    ) -> DeliveryState {
        var state = turn.report.state
        if concernsDestination, state.destinationTries < .max { state.destinationTries += 1 }
        state.quickTries = turn.retries
        state.notBefore = nil
        let words =
            switch failure {
            case .refused(let response): response.words
            case .tooLarge(let response, let sizes):
                response.words + (response.words.isEmpty ? "" : "; ") + sizes.description
            default: failure.description
            }
        state.lastOutcome = DeliveryState.Outcome(
            time: uploader.clock.now(), server: uploader.destination.server, status: status,
            words: words, concernsDestination: concernsDestination)
        return state
    }

    private mutating func quickDelay(retry: Int, notBefore: Double?) -> Double? {
        let jitter = Double(uploader.random.next() >> 11) / 0x1p53
        return RetrySchedule(uploader.rules.limits).quickDelaySeconds(
            retry: retry, notBeforeSeconds: notBefore, jitter: jitter)
    }
}
