// SPDX-License-Identifier: Apache-2.0

import EpitaphUpload
import EpitaphValues

/// Events as bodies of OTLP requests, one resource for each launch and context of a program.
/// Sources: opentelemetry/proto/logs/v1/logs.proto and metrics/v1/metrics.proto; the semantic
/// conventions `session.*`, `user.id`.
struct OTLPEvents {
    private struct Program: Hashable {
        let launchID: Epitaph.ID
        let program: String?
        let version: String?
        let environment: String?
    }

    private let byProgram: [(program: Program, events: [Event])]

    init(_ events: [Event]) {
        let groups = Dictionary(grouping: events) { event in
            Program(
                launchID: event.launchID, program: event.context.program,
                version: event.context.version, environment: event.context.environment)
        }
        byProgram = groups.map { (program: $0.key, events: $0.value) }
            .sorted { ($0.events.first?.sequence ?? 0) < ($1.events.first?.sequence ?? 0) }
    }

    /// Nil if there is none. Figures are metrics alone.
    func logs() -> [UInt8]? {
        body("resourceLogs", "scopeLogs", "logRecords") { event in
            switch event.payload {
            case .metrics, .errorFree: []
            default: [Self.record(event)]
            }
        }
    }

    func metrics() -> [UInt8]? {
        body("resourceMetrics", "scopeMetrics", "metrics", OTLPMetrics.metrics)
    }

    private func body(
        _ list: String, _ scopes: String, _ items: String, _ item: (Event) -> [JSONValue]
    ) -> [UInt8]? {
        var resources: [JSONValue] = []
        for (program, events) in byProgram {
            let found = events.flatMap(item)
            guard !found.isEmpty else { continue }
            let scope = JSONValue.object([
                "scope": .object(["name": .text("epitaph")]), items: .list(found),
            ])
            resources.append(
                .object([
                    "resource": .object(["attributes": Self.attributes(of: program).json]),
                    scopes: .list([scope]),
                ]))
        }
        guard !resources.isEmpty else { return nil }
        return try? JSONValue.object([list: .list(resources)]).bytes()
    }

    private static func attributes(of program: Program) -> OTLPAttributes {
        var attributes = OTLPAttributes.ofThisProgram()
        attributes.fill([
            "service.name": program.program ?? "unknown_service",
            "service.version": program.version ?? "",
            "service.instance.id": program.launchID.description,
            "deployment.environment.name": program.environment ?? "",
            "telemetry.sdk.name": "epitaph",
        ])
        return attributes
    }

    private static func record(_ event: Event) -> JSONValue {
        let (number, word) = severity(of: event.payload)
        var attributes = OTLPAttributes()
        attributes["log.record.uid"] = event.id.description
        attributes["session.id"] = event.sessionID?.description
        attributes["user.id"] = event.context.user?.id
        attributes["app.installation.id"] = event.context.deviceID?.description
        attributes.set("epitaph.sequence", to: event.sequence)
        attributes.fill(event.context.tags)
        if let payload = payload(of: event) { attributes.set("epitaph.payload", toJSON: payload) }
        var record: [String: JSONValue] = [
            "severityNumber": .integer(number),
            "severityText": .text(word), "body": .object(["stringValue": .text(words(of: event))]),
            "eventName": .text("epitaph." + event.type.rawValue), "attributes": attributes.json,
        ]
        if let time = event.time.unixNanoseconds { record["timeUnixNano"] = .text(time) }
        record.merge(TraceContext.fields(event.context.tags)) { first, _ in first }
        return .object(record)
    }

    private static func payload(of event: Event) -> JSONValue? {
        guard let line = event.line(), let value = try? JSONValue(parsing: line) else { return nil }
        return value["payload"]
    }

    private static func words(of event: Event) -> String {
        switch event.payload {
        case .log(let details): details.message
        case .custom(let details): details.name
        case .handledError(let details): details.message
        case .crash(let details): details.headline ?? event.type.rawValue
        default: event.type.rawValue
        }
    }

    /// "Log Data Model", opentelemetry.io/docs/specs/otel/logs/data-model.
    private static func severity(of payload: EventPayload) -> (number: Int64, word: String) {
        switch payload {
        case .crash: (21, "FATAL")
        case .handledError, .hang: (17, "ERROR")
        case .memoryWarning, .eventsDropped: (13, "WARN")
        case .log(let details): severity(at: details.level)
        default: (9, "INFO")
        }
    }

    private static func severity(at level: Epitaph.Level) -> (number: Int64, word: String) {
        switch level {
        case .trace: (1, "TRACE")
        case .debug: (5, "DEBUG")
        case .info: (9, "INFO")
        case .notice: (10, "INFO2")
        case .warning: (13, "WARN")
        case .error: (17, "ERROR")
        case .critical: (21, "FATAL")
        }
    }
}
