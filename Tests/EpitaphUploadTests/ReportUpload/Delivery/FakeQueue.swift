// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphHTTP
import EpitaphSystem
import EpitaphUpload
import EpitaphValues
import Foundation

/// A queue in memory that records the calls it gets.
final class FakeQueue: UploadQueue {
    typealias Attempt = Epitaph.ID

    var uploadsEnabled = true
    var reports: [PendingReport] = []
    var problems: [String] = []
    var earlierAttempts: [Timestamp] = []
    var taken: Set<Epitaph.ID> = []
    var gone: Set<Epitaph.ID> = []
    var alreadySent: Set<Epitaph.ID> = []
    var failingCalls: Set<String> = []
    var filing = Filing.filed
    var attachments: [Epitaph.ID: [OutgoingAttachment]] = [:]
    var states: [Epitaph.ID: DeliveryState] = [:]
    var settledRequests: Set<Epitaph.ID> = []
    var pauses: [String: Timestamp] = [:]
    var standings: [String: DestinationStanding] = [:]
    let clientID = Epitaph.ID("11111111-2222-4333-8444-555555555500")!
    private(set) var log: [String] = []

    func settings() throws(DatabaseError) -> UploadSettings {
        try fail("settings")
        return UploadSettings(uploadsEnabled: uploadsEnabled, clientID: clientID)
    }

    func pendingReports() throws(DatabaseError) -> PendingReports {
        try fail("list")
        let listed = reports.map { report in
            var report = report
            report.state = states[report.uuid] ?? report.state
            return report
        }
        return PendingReports(listed, problems: problems)
    }

    func attemptTimes(since time: Timestamp) -> [Timestamp] {
        earlierAttempts.filter { $0 >= time }
    }

    func minidump(of report: PendingReport) throws(DatabaseError) -> FileDescriptor {
        try fail("minidump")
        do throws(SystemError) {
            return try FileDescriptor.openForReading(report.minidumpPath)
        } catch {
            throw .system(error)
        }
    }

    func signature(of report: PendingReport) -> KeptSignature? { nil }

    func attachments(of report: PendingReport) throws(DatabaseError) -> [OutgoingAttachment] {
        try fail("attachments")
        return attachments[report.uuid] ?? []
    }

    func beginAttempt(on report: PendingReport) throws(DatabaseError) -> AttemptStart<Epitaph.ID> {
        try fail("begin")
        if taken.contains(report.uuid) { return .taken }
        if gone.contains(report.uuid) { return .gone }
        if alreadySent.contains(report.uuid) { return .alreadySent }
        log.append("begin")
        return .begun(report.uuid, states[report.uuid] ?? report.state)
    }

    func complete(_ attempt: Epitaph.ID, serverID: String) -> Filing {
        log.append("complete \(serverID)")
        if filing == .filed { reports.removeAll { $0.uuid == attempt } }
        return filing
    }

    func leave(
        _ attempt: Epitaph.ID, _ state: DeliveryState, isRequestSettled: Bool
    ) throws(DatabaseError) {
        log.append("leave")
        try fail("leave")
        states[attempt] = state
        if isRequestSettled { settledRequests.insert(attempt) }
    }

    func withdraw(_ attempt: Epitaph.ID) throws(DatabaseError) {
        log.append("withdraw")
        try fail("withdraw")
    }

    func record(
        _ answer: ConfirmationAnswer, of report: PendingReport
    ) throws(DatabaseError) {
        log.append("record \(answer)")
        try fail("record")
        switch answer {
        case .always: uploadsEnabled = true
        case .send: states[report.uuid, default: report.state].consent = .send
        case .dontSend, .keep: reports.removeAll { $0.uuid == report.uuid }
        case .later: break
        }
    }

    func pauseEnd(of server: String) throws(DatabaseError) -> Timestamp? {
        try fail("pauses")
        return pauses[server]
    }

    func pause(_ server: String, until end: Timestamp) throws(DatabaseError) {
        try fail("pause")
        pauses[server] = end
    }

    func standing(of destination: String) throws(DatabaseError) -> DestinationStanding? {
        try fail("standings")
        return standings[destination]
    }

    func record(
        _ standing: DestinationStanding, of destination: String
    ) throws(DatabaseError) {
        try fail("standing")
        standings[destination] = standing
    }

    func note(_ line: String) { log.append(line) }

    private func fail(_ call: String) throws(DatabaseError) {
        if failingCalls.contains(call) {
            throw DatabaseError.broken(path: "/db", reason: "disk full (\(call))")
        }
    }
}

/// Answers from a list, one per request; the last one again when it is used up.
final class FakeTransport: Transport {
    var answers: [Result<UploadResponse, TransportError>]
    private(set) var requests: [UploadRequest] = []
    var onSend: () -> Void = {}

    init(_ answers: Result<UploadResponse, TransportError>...) {
        self.answers = answers
    }

    func send(_ request: UploadRequest) throws(TransportError) -> UploadResponse {
        requests.append(request)
        onSend()
        return try (answers.count > 1 ? answers.removeFirst() : answers[0]).get()
    }
}
