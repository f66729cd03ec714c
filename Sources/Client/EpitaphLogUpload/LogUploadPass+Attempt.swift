// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphUpload
import EpitaphValues

/// One try to send one log.
extension LogUploadPass {
    mutating func attempt(_ file: LogFile) {
        switch directory.take(file) {
        case .taken(let log): send(log)
        case .busy:
            book.noteTaken(file, nextTry: soon)
            summary.waitingCount += 1
            wake(at: soon)
        case .beingWritten, .changed:
            book.notePostponement(of: file, until: soon)
            summary.settlingCount += 1
            wake(at: soon)
        case .gone:
            book.forget(file)
            reportVanished(file)
        case .failed(let error):
            noteFailure(file, .unreadable(reason: "\(error)"), askedSeconds: nil)
        }
    }

    private mutating func send(_ log: TakenLog) {
        let response: UploadResponse
        do throws(TransportError) {
            let request = try request(for: log)
            delegate?.willUpload(log.file)
            response = try transport.send(request)
        } catch {
            judge(error, log.file)
            return
        }
        switch AnswerMeaning(response, now: clock.now()) {
        case .accepted:
            hold.noteAnswer()
            finish(log, response)
        case .retry(let askedSeconds):
            if Self.isAboutTheServer(response) || askedSeconds != nil {
                holdOff(log.file, askedSeconds: askedSeconds, options.retries)
            } else {
                hold.noteAnswer()
            }
            noteFailure(log.file, .refused(response), askedSeconds: askedSeconds)
        case .destinationRefused:
            refuse(log.file, response)
        case .tooLarge, .refused:
            hold.noteAnswer()
            book.noteRefusal(of: log.file)
            summary.refusedCount += 1
            delegate?.didFail(log.file, .refused(response), willRetry: false)
        }
    }

    /// A wrong address or key, or a server being installed: any other log would fail too. No quick
    /// retries if a person has to fix it.
    private mutating func refuse(_ file: LogFile, _ response: UploadResponse) {
        var limits = options.retries
        limits.retryBehaviour = .none
        holdOff(file, askedSeconds: nil, limits)
        book.notePostponement(of: file, until: hold.end)
        summary.failedCount += 1
        wake(at: hold.end)
        delegate?.didFail(file, .refused(response), willRetry: true)
    }

    private func request(for log: TakenLog) throws(TransportError) -> UploadRequest {
        let start = try rethrowing(log.descriptor.readBytes(count: LogForm.markLength, at: 0)) {
            (error: SystemError) in TransportError.bodyUnreadable(reason: "\(error)")
        }
        // Growth is checked once the server has answered.
        let body = StreamedBody([.file(try BodyFile(reading: log.descriptor, growth: .cut))])
        return try destination.request(
            for: log.file, LogForm(start), body: StoppableBody(body, clock: clock))
    }

    /// RFC 6585 4 and RFC 9110 15.6.4: any other request would fail too. Other temporary responses
    /// may concern this log only.
    private static func isAboutTheServer(_ response: UploadResponse) -> Bool {
        response.status == 429 || response.status == 503
    }

    private mutating func judge(_ error: TransportError, _ file: LogFile) {
        guard !clock.isStopped else {
            summary.waitingCount += 1
            return
        }
        if error.concernsEveryRequest { holdOff(file, askedSeconds: nil, options.retries) }
        if case .bodyUnreadable(let reason) = error {
            noteFailure(
                file, .unreadable(reason: "\(file.path) cannot be sent: \(reason)"),
                askedSeconds: nil)
        } else {
            noteFailure(file, .transport(error), askedSeconds: nil)
        }
    }

    private mutating func holdOff(_ file: LogFile, askedSeconds: Double?, _ limits: UploadLimits) {
        hold.noteFailure(at: now.monotonic, askedSeconds: askedSeconds) {
            RetrySchedule(limits).delaySeconds(afterFailures: $0, jitter: Self.jitter(of: file))
        }
    }

    private mutating func noteFailure(
        _ file: LogFile, _ failure: LogUploadFailure, askedSeconds: Double?
    ) {
        let delay = RetrySchedule(options.retries).delaySeconds(
            afterFailures: book.failures(of: file) + 1, jitter: Self.jitter(of: file))
        let nextTry = now.monotonic + max(delay, askedSeconds ?? 0)
        book.noteFailure(of: file, nextTry: nextTry)
        summary.failedCount += 1
        wake(at: max(nextTry, hold.end))
        delegate?.didFail(file, failure, willRetry: true)
    }

    /// From 0 to 1, always the same for one log.
    private static func jitter(of file: LogFile) -> Double {
        Double(file.id.lastByte) / 255
    }

    private mutating func finish(_ log: TakenLog, _ response: UploadResponse) {
        let file = log.file
        let leftOver: String?
        switch directory.remove(log, .unchanged) {
        case .removed, .alreadyGone:
            book.forget(file)
            leftOver = nil
        case .changed:
            summary.failedCount += 1
            wake(at: soon)
            delegate?.didFail(file, .changed, willRetry: true)
            return
        case .beingWritten:
            book.noteDelivery(of: file)
            leftOver = "\(file.path) is deleted once no program has it open for writing"
        case .failed(let error):
            book.noteDelivery(of: file)
            leftOver = "\(file.path) cannot be deleted: \(error.reason)"
        }
        summary.uploadedCount += 1
        delegate?.didUpload(file, response, leftOver: leftOver)
    }

    /// Deletes a log that the server already has, if that is possible by now.
    mutating func deleteDelivered(_ file: LogFile) {
        if case .taken(let log) = directory.take(file) {
            switch directory.remove(log, .unchanged) {
            case .removed, .alreadyGone:
                book.forget(file)
                return
            case .changed, .beingWritten, .failed: break
            }
        }
        summary.waitingCount += 1
    }
}

extension LogDirectory {
    /// Deletes a file because of the limits. False if it is being sent or cannot be.
    func discard(_ file: LogFile) -> Bool {
        switch take(file, checking: .identity) {
        case .taken(let log):
            switch remove(log, .always) {
            case .removed: true
            case .alreadyGone, .changed, .beingWritten, .failed: false
            }
        case .busy, .beingWritten, .changed, .gone, .failed: false
        }
    }
}
