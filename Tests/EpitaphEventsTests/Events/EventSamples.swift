// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation

@testable import EpitaphEvents

/// Events of every type, with everything that can be in them and with as little as can be.
enum EventSamples {
    static let id = Epitaph.ID("0A0B0C0D-1111-2222-3333-444455556666")!

    static let full: [EventPayload] = {
        var request = NetworkRequestDetails(
            method: "GET", url: "https://ledger.example.org/v1", outcome: .answered,
            durationSeconds: 0.25)
        request.status = 503
        request.requestBytes = 0
        request.responseBytes = 12
        request.errorType = "timedOut"
        request.requestHeaders = ["accept": "*/*"]
        request.responseHeaders = [:]
        request.requestBody = "a\u{1b}\"\\\n"
        request.responseBody = ""
        request.leftOutBefore = 3
        return [
            .handledError(
                HandledErrorDetails(
                    errorType: "LedgerError", message: "the \"ledger\" is gone\u{0}",
                    signature: "s", reportID: id, count: 7,
                    properties: [
                        "text": "a", "number": 1.5, "integer": -3, "flag": true, "": "",
                    ])),
            .crash(
                CrashDetails(
                    reportID: id, signal: "SIGSEGV", headline: "h", signature: "s",
                    uptimeSeconds: 1e9)),
            .hang(
                HangDetails(
                    subject: "main queue", durationSeconds: 2.5, outcome: .recovered,
                    reportID: id)),
            .networkRequest(request),
            .webSocketFrame(
                WebSocketFrameDetails(
                    connection: "feed", direction: .received, opcode: .ping, payloadBytes: 0,
                    leftOutBefore: 1)),
            .log(LogDetails(level: .notice, tag: "t", message: "m", metadata: ["a": 1])),
            .lifecycle(LifecycleDetails(phase: .stopping, reason: "SIGTERM", lastEnd: "clean")),
            .navigation(
                NavigationDetails(
                    kind: .route, destination: "b", origin: "a", secondsAtOrigin: 0)),
            .custom(CustomDetails(name: "n", properties: ["p": .number(0.1)])),
            .storageChanged(
                StorageChangeDetails(
                    kind: .keyValue, store: "settings", item: "key", change: .removed)),
            .memoryWarning(
                MemoryWarningDetails(
                    level: .critical, source: "memory.events", residentBytes: 1, limitBytes: 2)),
            .systemBroadcast(
                SystemBroadcastDetails(.timeZone, details: ["zone": "Europe/Berlin", "dst": true])),
            .metrics(
                MetricsDetails(
                    intervalSeconds: 10,
                    counters: [
                        "requests": .init(
                            total: .max, sinceLast: 3, lastSecond: 1, busiestSecond: 2)
                    ],
                    durations: [
                        "query": .init(
                            count: 1, lastSecond: 1, totalSeconds: 0.5, longestSeconds: 0.5,
                            medianSeconds: 0.5, percentile95Seconds: 0.5)
                    ])),
            .sessionStarted(SessionStartDetails(sessionID: id, numberInRun: 1, numberInDay: 2)),
            .sessionEnded(
                SessionEndDetails(
                    sessionID: id, outcome: .crashed, durationSeconds: 30, handledErrors: 2)),
            .errorFree(
                ErrorFreeDetails(
                    days: 30, sessions: 4, crashedSessions: 1, unknownSessions: 1, users: 2,
                    crashedUsers: 1, hours: 12)),
            .eventsDropped(
                DroppedEventsDetails(
                    counts: Dictionary(
                        uniqueKeysWithValues: DropReason.allCases.map { ($0.rawValue, 1) }))),
        ]
    }()

    static let bare: [EventPayload] = [
        .handledError(HandledErrorDetails(errorType: "", message: "")),
        .crash(CrashDetails(reportID: id)),
        .hang(HangDetails(subject: "", durationSeconds: 0, outcome: .ongoing)),
        .networkRequest(
            NetworkRequestDetails(method: "", url: "", outcome: .failed, durationSeconds: 0)),
        .webSocketFrame(
            WebSocketFrameDetails(
                connection: "", direction: .sent, opcode: .text, payloadBytes: 0)),
        .log(LogDetails(level: .trace, tag: "", message: "")),
        .lifecycle(LifecycleDetails(phase: .started)),
        .navigation(NavigationDetails(kind: .phase, destination: "")),
        .custom(CustomDetails(name: "")),
        .storageChanged(StorageChangeDetails(kind: .files, store: "", change: .cleared)),
        .memoryWarning(MemoryWarningDetails(level: .warning, source: "")),
        .systemBroadcast(SystemBroadcastDetails(.locale)),
        .metrics(MetricsDetails(intervalSeconds: 0, counters: [:], durations: [:])),
        .sessionEnded(
            SessionEndDetails(sessionID: id, outcome: .unknown, durationSeconds: 0)),
        .errorFree(
            ErrorFreeDetails(
                days: 1, sessions: 0, crashedSessions: 0, unknownSessions: 0, users: 0,
                crashedUsers: 0, hours: 0)),
        .eventsDropped(DroppedEventsDetails(counts: [:])),
    ]

    static func event(
        _ payload: EventPayload, context: Context = Context(), sequence: UInt64 = 1
    ) -> Event {
        Event(
            id: id, launchID: id, sequence: sequence,
            time: Timestamp(secondsSince1970: 1_800_000_000.25), monotonicSeconds: 12.5,
            context: context, payload: payload)
    }

    static var fullContext: Context {
        var context = Context()
        context.sessionID = id
        context.deviceID = id
        context.user = .init(id: "u1", name: "Ada", email: "ada@example.org")
        context.program = "exampled"
        context.version = "1.4"
        context.environment = "production"
        context.setTag("region", to: "north")
        return context
    }
}
