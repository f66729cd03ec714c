// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Snapshot

/// Sends the pending reports of a queue to one destination. Nothing is ever thrown away here: a
/// report either gets to the server or stays where it is.
public struct ReportUploader<Queue: UploadQueue> {
    private let queue: Queue
    private let destination: UploadDestination
    private let transport: any Transport
    private let describe: (PendingReport) -> ReportContents
    private var random: any RandomNumberGenerator

    /// - Parameters:
    ///   - describe: tells what the minidump of a report says of its process.
    ///   - random: for form boundaries.
    public init(
        queue: Queue, destination: UploadDestination, transport: any Transport,
        describe: @escaping (PendingReport) -> ReportContents,
        random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        self.queue = queue
        self.destination = destination
        self.transport = transport
        self.describe = describe
        self.random = random
    }

    /// Tries each report that is pending now once, oldest first.
    ///
    /// - Parameters:
    ///   - shouldContinue: asked before each report; the rest is skipped once it says no.
    ///   - report: told each result as it comes.
    /// - Throws: when the queue's settings or list cannot be read; failures of single reports are
    ///   in the summary.
    public mutating func uploadPending(
        while shouldContinue: () -> Bool = { true },
        report: (PendingReport, UploadResult) -> Void = { _, _ in }
    ) throws(QueueError) -> UploadSummary {
        let settings = try queue.settings()
        let queued = try queue.pendingReports()
        var summary = UploadSummary(problems: queued.problems)
        var isServerUnavailable = false
        for pending in queued.reports {
            let result: UploadResult =
                if !settings.uploadsEnabled && !pending.isExplicitlyRequested {
                    .skipped(.uploadsDisabled)
                } else if !shouldContinue() {
                    .skipped(.stopped)
                } else if isServerUnavailable {
                    .skipped(.serverUnavailable)
                } else {
                    upload(pending, clientID: settings.clientID)
                }
            if case .failed(.transport(let error)) = result, error.concernsEveryRequest {
                isServerUnavailable = true
            }
            summary.reports.append(.init(uuid: pending.uuid, result: result))
            report(pending, result)
        }
        return summary
    }

    private mutating func upload(_ report: PendingReport, clientID: UUID) -> UploadResult {
        do {
            guard let attempt = try queue.beginAttempt(on: report) else { return .skipped(.taken) }
            let answer = send(report, clientID: clientID)
            if case .success(let response) = answer, response.isSuccess {
                return complete(attempt, serverID: response.text)
            }
            queue.leave(attempt)
            switch answer {
            case .success(let response): return .failed(.refused(response))
            case .failure(let error): return .failed(.transport(error))
            }
        } catch {
            return .failed(.queue(error))
        }
    }

    private mutating func send(
        _ report: PendingReport, clientID: UUID
    ) -> Result<UploadResponse, TransportError> {
        let contents = describe(report)
        let form = ReportForm(
            annotations: contents.annotations, messages: contents.messages, clientID: clientID)
        do {
            let request = try destination.request(
                form: form, minidumpPath: report.minidumpPath, uuid: report.uuid, random: &random)
            return .success(try transport.send(request))
        } catch {
            return .failure(error)
        }
    }

    private func complete(_ attempt: Queue.Attempt, serverID: String) -> UploadResult {
        do {
            try queue.complete(attempt, serverID: serverID)
            return .sent(serverID: serverID)
        } catch {
            return .failed(.notFiled(serverID: serverID, error))
        }
    }
}
