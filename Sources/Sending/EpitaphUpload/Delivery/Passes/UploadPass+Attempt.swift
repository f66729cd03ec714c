// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphHTTP
import EpitaphSystem

extension UploadPass {
    private enum Sending {
        case answered(UploadResponse, ReportSizes)
        case failed(TransportError)
        case kept
    }

    mutating func attempt(_ turn: Turn) -> Step {
        let start: AttemptStart<Queue.Attempt>
        do throws(DatabaseError) {
            start = try begin(turn)
        } catch {
            return .settled(.failed(.queue(error)))
        }
        switch start {
        case .taken: return .settled(.skipped(.taken))
        case .gone: return .settled(.skipped(.gone))
        case .alreadySent: return .settled(.alreadySent)
        case .begun(let attempt, let state):
            var turn = turn
            turn.report.state = state
            let began = now
            let sending = send(turn.report)
            var isTaken = false
            if case .answered(let response, _) = sending {
                isTaken = (200..<300).contains(response.status)
            }
            batch.note(seconds: now - began, isTaken: isTaken)
            switch sending {
            case .kept:
                withdraw(attempt, turn.report)
                return .settled(.skipped(.kept))
            case .failed where uploader.clock.isStopped:
                withdraw(attempt, turn.report)
                end = .stopped
                return .settled(.skipped(.stopped))
            case .failed(let error):
                return judge(error, turn, attempt)
            case .answered(let response, let sizes):
                return judge(response, sizes, turn, attempt)
            }
        }
    }

    private mutating func send(_ report: PendingReport) -> Sending {
        let delegate = uploader.callbacks.delegate
        do throws(TransportError) {
            var outgoing = try outgoing(report)
            guard delegate?.willSend(&outgoing) ?? .send == .send else { return .kept }
            let limit = uploader.rules.attachmentLimitBytes
            for problem in outgoing.leaveOutAttachments(over: limit) {
                delegate?.didLeaveOut(problem, of: report)
            }
            try uploader.callbacks.transform(&outgoing)
            let destination = uploader.destination
            var random = uploader.random
            var isKept = false
            var isBegun = false
            defer {
                uploader.random = random
                if isBegun { uploader.rateLimit.note(at: now) }
                for remark in destination.remarks where !remarks.contains(remark) {
                    remarks.append(remark)
                }
            }
            do throws(TransportError) {
                let response = try destination.deliver(
                    outgoing, by: uploader.transport,
                    adjusting: { (request) throws(TransportError) in
                        let verdict = delegate?.willSend(&request, for: report) ?? .send
                        isKept = verdict != .send
                        guard !isKept, request.url.server == destination.server else {
                            throw .invalidURL(
                                reason: "it was changed to another server than "
                                    + destination.server)
                        }
                        isBegun = true
                    }, random: &random)
                return .answered(response, ReportSizes(outgoing))
            } catch {
                guard !isKept else { return .kept }
                throw error
            }
        } catch {
            return .failed(error)
        }
    }

    private func outgoing(_ report: PendingReport) throws(TransportError) -> OutgoingReport {
        let file: FileDescriptor
        var attachments: [OutgoingAttachment] = []
        do throws(DatabaseError) {
            file = try uploader.queue.minidump(of: report)
            if report.state.attachments != .leftOut {
                attachments = try uploader.queue.attachments(of: report)
            }
        } catch {
            throw .bodyUnreadable(reason: error.description)
        }
        // Opened first, so that the examined file is the one that is sent.
        let minidump = try BodyFile(reading: file)
        let contents = uploader.describe(file)
        return OutgoingReport(
            uuid: report.uuid, clientID: settings.clientID, minidump: .file(minidump),
            annotations: Dictionary(
                contents.annotations.map { ($0.name, $0.value) },
                uniquingKeysWith: { first, _ in first }),
            messages: contents.messages.map(\.text), breadcrumbs: contents.breadcrumbs,
            signature: uploader.queue.signature(of: report), attachments: attachments)
    }

    private mutating func withdraw(_ attempt: Queue.Attempt, _ report: PendingReport) {
        note(problem(of: try uploader.queue.withdraw(attempt)), of: report)
    }
}
