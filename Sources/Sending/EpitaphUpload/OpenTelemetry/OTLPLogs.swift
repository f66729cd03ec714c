// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A report as the body of a request for logs: one resource with one record. Sources:
/// opentelemetry/proto/logs/v1/logs.proto; "Log Data Model",
/// opentelemetry.io/docs/specs/otel/logs/data-model, for severities; the semantic conventions
/// `app.crash`, `exception.*`, `thread.*`.
final class OTLPLogs {
    private let report: OutgoingReport
    private let snapshot: ProcessSnapshot?
    private let resource: OTLPResource

    init(_ report: OutgoingReport, _ snapshot: ProcessSnapshot?) {
        self.report = report
        self.snapshot = snapshot
        resource = OTLPResource(report, snapshot)
    }

    func json() -> [UInt8] {
        let logs = JSONValue.object([
            "scope": .object(["name": .text("epitaph")]), "logRecords": .list([.object(record)]),
        ])
        let body = JSONValue.object([
            "resourceLogs": .list([
                .object([
                    "resource": .object(["attributes": resource.attributes.json]),
                    "scopeLogs": .list([logs]),
                ])
            ])
        ])
        // Texts and whole numbers can always be encoded.
        return (try? body.bytes()) ?? Array("{}".utf8)
    }

    private var kind: ReportKind { snapshot?.kind ?? .crash }

    private var record: [String: JSONValue] {
        let (number, word) = severity
        var record: [String: JSONValue] = [
            "severityNumber": .integer(number), "severityText": .text(word),
            "body": .object(["stringValue": .text(words)]), "attributes": attributes.json,
        ]
        if kind == .crash { record["eventName"] = .text("app.crash") }
        // Without a time the collector's own counts.
        if let time = snapshot?.process.snapshotTime?.unixNanoseconds {
            record["timeUnixNano"] = .text(time)
        }
        record.merge(TraceContext.fields(report.annotations)) { first, _ in first }
        return record
    }

    private var severity: (number: Int64, word: String) {
        switch kind {
        case .crash, .outOfMemory, .unknown: (21, "FATAL")
        case .hang, .handledError: (17, "ERROR")
        case .recoveredHang, .memoryWarning: (13, "WARN")
        case .live: (9, "INFO")
        }
    }

    private var signalName: String? {
        guard let exception = snapshot?.exception, exception.foreign == nil else { return nil }
        return Signal(rawValue: exception.signal).description
    }

    private var words: String {
        report.messages.first ?? report.signature?.text ?? signalName ?? kind.word
    }

    private var attributes: OTLPAttributes {
        var attributes = OTLPAttributes()
        attributes["epitaph.report.id"] = report.uuid.description
        attributes["epitaph.report.kind"] = kind.word
        if kind == .crash { attributes["app.crash.id"] = report.uuid.description }
        attributes["exception.type"] = signalName ?? kind.word
        attributes["exception.message"] = report.messages.joined(separator: "\n")
        attributes["exception.stacktrace"] = snapshot.flatMap(OTLPStack.text)
        attributes["epitaph.signature"] = report.signature?.text
        attributes["epitaph.signature.id"] = report.signature?.identifier
        let thread = snapshot?.crashingThread ?? snapshot?.subjectThread
        attributes.set("thread.id", to: thread?.id)
        attributes["thread.name"] = thread?.name
        attributes.fill(report.annotations.filter { !OTLPResource.isOfResource($0.key) })
        return attributes
    }
}
