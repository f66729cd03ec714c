// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphMinidump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("OpenTelemetry")
struct OTLPTests {
    private func snapshot() -> ProcessSnapshot {
        var snapshot = ProcessSnapshot(architecture: .x86_64)
        snapshot.process.id = 4711
        snapshot.process.snapshotTime = Timestamp(secondsSince1970: 1_795_395_723.25)
        var exception = ExceptionSnapshot(signal: 11, code: 1, address: 0)
        exception.threadID = 4712
        snapshot.exception = exception
        var thread = ThreadSnapshot(id: 4712, completeness: .complete)
        thread.name = "worker"
        snapshot.threads = [thread]
        snapshot.modules = [
            ModuleSnapshot(
                path: "/usr/bin/orderd", addressRange: 0x1000..<0x9000, kind: .executable)
        ]
        snapshot.files.osRelease = ByteSlice(
            Array("NAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\n".utf8))
        var kept = KeptStacks()
        kept.frames = [
            .init(instructionPointer: 0x1234, lookupAddress: 0x1234, foundBy: "registers"),
            .init(instructionPointer: 0x2345, lookupAddress: 0x2344, foundBy: "unwindTable"),
            .init(instructionPointer: 0xffff, lookupAddress: 0xfffe, foundBy: "stackGuess"),
        ]
        kept.steps = (0..<3).map { .init(frame: $0, distance: 16) }
        var call = KeptStacks.Call()
        (call.function, call.file, call.line) = ("parse", "/src/parse.c", 7)
        kept.calls = [call]
        kept.places = [.init(lookupAddress: 0x1234, firstCall: 0, callCount: 1)]
        var stack = KeptStacks.Stack(
            threadID: 4712, isOfCrash: true, stackPointer: 0, firstStep: 0, stepCount: 3)
        stack.whyIncomplete = "the dump was cut"
        kept.stacks = [stack]
        snapshot.keptStacks = kept
        return snapshot
    }

    private func logs(
        _ annotations: [String: String] = [:], messages: [String] = [], _ snapshot: ProcessSnapshot?
    ) throws -> (resource: [String: String], record: [String: Any], attributes: [String: String]) {
        var report = OutgoingReport.example(annotations)
        report.messages = messages
        report.signature = KeptSignature(
            text: "null-dereference parse", identifier: "0123456789abcdef", isComplete: true)
        let body = try jsonObject(OTLPLogs(report, snapshot).json())
        let resourceLogs = try #require((body["resourceLogs"] as? [[String: Any]])?.first)
        let scope = try #require((resourceLogs["scopeLogs"] as? [[String: Any]])?.first)
        let record = try #require((scope["logRecords"] as? [[String: Any]])?.first)
        return (
            try attributes(try #require(resourceLogs["resource"] as? [String: Any])), record,
            try attributes(record)
        )
    }

    private func jsonObject(_ bytes: [UInt8]) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    private func attributes(_ holder: [String: Any]) throws -> [String: String] {
        let list = try #require(holder["attributes"] as? [[String: Any]])
        return Dictionary(
            uniqueKeysWithValues: try list.map { entry in
                let value = try #require(entry["value"] as? [String: String])
                return (try #require(entry["key"] as? String), try #require(value.values.first))
            })
    }

    @Test("A crash is a log record by the conventions, with its stack, signature and id")
    func crash() throws {
        let (resource, record, attributes) = try logs(
            ["prod": "orderd", "ver": "2.3", "hostname": "web1", "tenant": "acme"],
            messages: ["it fell", "twice"], snapshot())
        #expect(
            resource.filter { $0.key != "app.installation.id" } == [
                "service.name": "orderd", "service.version": "2.3", "host.name": "web1",
                "host.arch": "amd64", "os.type": "linux", "os.name": "Debian GNU/Linux",
                "os.version": "12", "process.pid": "4711", "telemetry.sdk.name": "epitaph",
                "process.executable.path": "/usr/bin/orderd",
                "process.executable.name": "orderd",
            ])
        #expect(record["timeUnixNano"] as? String == "1795395723250000000")
        #expect(record["severityNumber"] as? Int == 21)
        #expect(record["eventName"] as? String == "app.crash")
        #expect(record["body"] as? [String: String] == ["stringValue": "it fell"])
        #expect(attributes["app.crash.id"] == attributes["epitaph.report.id"])
        #expect(attributes["exception.type"] == "SIGSEGV")
        #expect(attributes["exception.message"] == "it fell\ntwice")
        #expect(
            attributes["exception.stacktrace"] == """
                #0 parse at /src/parse.c:7
                #1 orderd+0x1345
                #2 0xffff (possible)
                (incomplete: the dump was cut)
                """)
        #expect(attributes["epitaph.signature.id"] == "0123456789abcdef")
        #expect(attributes["thread.id"] == "4712" && attributes["thread.name"] == "worker")
        #expect(attributes["tenant"] == "acme")
    }

    @Test("What the crashed launch says of itself counts more than what is known of it")
    func resource() throws {
        var snapshot = snapshot()
        snapshot.environment = [
            "OTEL_RESOURCE_ATTRIBUTES=service.name=a,host.name=b%20c, k8s.pod.name = d ,=e,f",
            "OTEL_SERVICE_NAME=orders",
        ]
        let (resource, _, attributes) = try logs(
            ["prod": "orderd", "hostname": "web1", "service.namespace": "shop"], snapshot)
        #expect(resource["service.name"] == "orders")
        #expect(resource["host.name"] == "b c")
        #expect(resource["k8s.pod.name"] == "d")
        #expect(resource["service.namespace"] == "shop")
        #expect(attributes["service.namespace"] == nil && attributes["hostname"] == "web1")
    }

    @Test("A report whose minidump is broken is sent with what is known")
    func broken() throws {
        let (resource, record, attributes) = try logs([:], nil)
        #expect(resource["service.name"] == "unknown_service")
        #expect(record["timeUnixNano"] == nil)
        #expect(attributes["exception.stacktrace"] == nil)
        #expect(attributes["epitaph.signature"] == "null-dereference parse")
    }

    @Test("A report of a process that lived on is no crash")
    func livedOn() throws {
        var snapshot = snapshot()
        snapshot.exception = nil
        snapshot.request = ReportRequest(kind: .hang)
        let (_, record, attributes) = try logs([:], snapshot)
        #expect(record["eventName"] == nil && record["severityText"] as? String == "ERROR")
        #expect(attributes["exception.type"] == "hang" && attributes["app.crash.id"] == nil)
    }

    @Test(
        "What is taken out of the minidump is not in the record",
        arguments: [
            ([], true, true), ([.keptStacks], false, false), ([.messages], true, false),
            ([.cpuinfo], true, true),
        ] as [(Set<ReportPart>, Bool, Bool)])
    func scrubbed(parts: Set<ReportPart>, hasStack: Bool, hasSignature: Bool) throws {
        var report = OutgoingReport.example()
        var minidump = ByteBuilder()
        MinidumpWriter(snapshot: snapshot(), reportID: nil, clientID: nil).write(to: &minidump)
        report.minidump = .bytes(ByteSlice(minidump.bytes))
        report.signature = KeptSignature(
            text: "null-dereference parse", identifier: "0123456789abcdef", isComplete: true)
        var rules = ScrubbingRules()
        rules.removedParts = parts
        if !parts.isEmpty { _ = try report.scrub(by: rules) }
        let server = PlayedServer()
        var destination = OTLPDestination(try RequestTemplate(.post, url: "http://h/v1/logs"))
        destination.compression = .none
        var random = FixedRandom()
        _ = try destination.deliver(report, by: server, adjusting: { _ in }, random: &random)
        let text = try #require(server.texts.first)
        #expect(text.contains("SIGSEGV"))
        #expect(text.contains("/src/parse.c") == hasStack)
        #expect(text.contains("null-dereference parse") == hasSignature)
    }

    private static let trace = "0af7651916cd43dd8448eb211c80319c"

    @Test(
        "The record belongs to the trace of the scope, if that is one",
        arguments: [
            (["traceparent": "00-\(trace)-b7ad6b7169203331-01"], trace, "b7ad6b7169203331", 1),
            (["trace_id": trace.uppercased()], trace, nil, nil),
            (["trace_id": trace, "span_id": "00f067aa0ba902b7"], trace, "00f067aa0ba902b7", nil),
            (["trace_id": trace, "span_id": "0000000000000000"], trace, nil, nil),
            (["traceparent": "ff-\(trace)-b7ad6b7169203331-01"], nil, nil, nil),
            (["traceparent": "00-\(trace)-b7ad6b716920333-01"], nil, nil, nil),
            (["trace_id": "00000000000000000000000000000000"], nil, nil, nil), ([:], nil, nil, nil),
        ] as [([String: String], String?, String?, Int?)])
    func traceContext(
        annotations: [String: String], traceID: String?, spanID: String?, flags: Int?
    ) throws {
        let record = try logs(annotations, snapshot()).record
        #expect(record["traceId"] as? String == traceID)
        #expect(record["spanId"] as? String == spanID)
        #expect(record["flags"] as? Int == flags)
    }

    @Test(
        "Only what the specification names is tried again, and a partial success never is",
        arguments: [
            (200, "{}", .accepted), (200, #"{"partialSuccess":{}}"#, .accepted),
            (200, #"{"partialSuccess":{"rejectedLogRecords":"0","errorMessage":"w"}}"#, .accepted),
            (200, #"{"partialSuccess":{"rejectedLogRecords":"1"}}"#, .refused),
            (200, #"{"partialSuccess":{"rejectedLogRecords":1}}"#, .refused),
            (429, "", .retry(notBeforeSeconds: nil)), (502, "", .retry(notBeforeSeconds: nil)),
            (503, "", .retry(notBeforeSeconds: nil)), (504, "", .retry(notBeforeSeconds: nil)),
            (400, "", .refused), (408, "", .refused), (413, "", .refused), (500, "", .refused),
            (401, "", .destinationRefused), (404, "", .destinationRefused),
        ] as [(Int, String, AnswerMeaning)])
    func answers(status: Int, body: String, meaning: AnswerMeaning) throws {
        let destination = OTLPDestination(try RequestTemplate(.post, url: "http://h/v1/logs"))
        let response = UploadResponse(status: status, body: Array(body.utf8))
        #expect(destination.meaning(of: response, now: .now) == meaning)
    }

    @Test(
        "A URL is the collector's, with or without the path of any signal",
        arguments: [
            ("https://h:4318", "https://h:4318/v1/", ""), ("https://h/", "https://h/v1/", ""),
            ("https://h/v1/logs", "https://h/v1/", ""),
            ("https://h/v1/metrics", "https://h/v1/", ""),
            ("https://h/a/v1/traces?k=v", "https://h/a/v1/", "?k=v"),
            ("https://h/a?k=v", "https://h/a/v1/", "?k=v"),
            ("https://h/v1", "https://h/v1/v1/", ""),
        ])
    func path(place: String, start: String, query: String) throws {
        for signal in [OTLPSignal.logs, .metrics] {
            let endpoint = try OTLPEndpoint(
                place, for: signal, environment: { $0.contains("HEADERS") ? "key=secret" : nil })
            #expect(endpoint.url == start + signal.rawValue + query)
            // A key is for the server it came with.
            #expect(endpoint.headers.isEmpty)
        }
    }

    @Test(
        "A signal's own variable is used as it is, and the one for all is a base, as it is",
        arguments: [
            (["ENDPOINT": "https://a"], "https://a/v1/logs", "https://a/v1/metrics"),
            (["ENDPOINT": "https://a/x/"], "https://a/x/v1/logs", "https://a/x/v1/metrics"),
            (
                ["ENDPOINT": "https://a/v1/logs"], "https://a/v1/logs/v1/logs",
                "https://a/v1/logs/v1/metrics"
            ),
            (["LOGS_ENDPOINT": "https://b"], "https://b", "http://localhost:4318/v1/metrics"),
            (
                ["LOGS_ENDPOINT": "https://b/", "METRICS_ENDPOINT": "https://c/in"], "https://b/",
                "https://c/in"
            ),
            (
                ["METRICS_ENDPOINT": "https://c/v1/logs", "ENDPOINT": "https://a"],
                "https://a/v1/logs", "https://c/v1/logs"
            ),
        ])
    func endpoints(variables: [String: String], logs: String, metrics: String) throws {
        func url(_ signal: OTLPSignal) throws -> String {
            try OTLPEndpoint("", for: signal) {
                variables[String($0.dropFirst("OTEL_EXPORTER_OTLP_".count))]
            }.url
        }
        #expect(try url(.logs) == logs)
        #expect(try url(.metrics) == metrics)
    }

    @Test("Certificates of the variables go with each request, a signal's own first")
    func certificates() throws {
        func request(_ variables: [String: String]) throws -> UploadRequest {
            try OTLPEndpoint("") { variables[String($0.dropFirst("OTEL_EXPORTER_OTLP_".count))] }
                .template().request(body: StreamedBody([]), type: .json, values: [:])
        }
        var all = ["CERTIFICATE": "/ca.pem", "CLIENT_CERTIFICATE": "/me.pem"]
        #expect(try request(all).caFile == "/ca.pem")
        #expect(try request(all).clientCertificate?.keyFile == "/me.pem")
        all["LOGS_CERTIFICATE"] = "/logs.pem"
        all["CLIENT_KEY"] = "/key.pem"
        #expect(try request(all).caFile == "/logs.pem")
        #expect(
            try request(all).clientCertificate
                == ClientCertificate(certificateFile: "/me.pem", keyFile: "/key.pem"))
        #expect(try request([:]).caFile == nil && request([:]).clientCertificate == nil)
    }

    @Test("Without a URL OpenTelemetry's variables say where and how, a signal's own first")
    func variables() throws {
        func endpoint(_ variables: [String: String]) throws -> OTLPEndpoint {
            try OTLPEndpoint("") { variables[$0] }
        }
        #expect(try endpoint([:]).url == "http://localhost:4318/v1/logs")
        let all = [
            "OTEL_EXPORTER_OTLP_ENDPOINT": "https://a:1/x", "OTEL_EXPORTER_OTLP_TIMEOUT": "2500",
            "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%2Cb, other = c;d=e",
            "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
        ]
        let general = try endpoint(all)
        #expect(general.url == "https://a:1/x/v1/logs")
        #expect(general.headers.map(\.name) == ["api-key", "other"])
        #expect(general.headers.map(\.value) == ["a,b", "c"])
        var destination = try general.template()
        #expect(destination.timeLimits.total == .milliseconds(2_500))
        #expect(destination.compression == .none)
        var options = DestinationOptions()
        options.timeLimits.total = .seconds(7)
        destination = try general.template(options)
        #expect(destination.timeLimits.total == .seconds(7))
        let own = all.merging([
            "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "https://b/ingest",
            "OTEL_EXPORTER_OTLP_LOGS_HEADERS": "k=v",
            "OTEL_EXPORTER_OTLP_LOGS_COMPRESSION": "gzip",
        ]) { $1 }
        #expect(try endpoint(own).url == "https://b/ingest")
        #expect(try endpoint(own).headers.map(\.name) == ["k"])
        #expect(try endpoint(own).template().compression == .gzip)
        #expect(throws: SettingError.self) {
            try endpoint(["OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"])
        }
    }

    @Test("Headers and gzip go with the request")
    func request() throws {
        var options = DestinationOptions()
        options.headers = [("api-key", "secret")]
        let destination = try DestinationSpecification("otlp:http://127.0.0.1:4318").destination(
            options)
        let server = PlayedServer()
        var random = FixedRandom()
        _ = try destination.deliver(
            .example(["prod": "d"]), by: server, adjusting: { _ in }, random: &random)
        let request = try #require(server.requests.first)
        #expect(request.url == "http://127.0.0.1:4318/v1/logs")
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.headers["content-encoding"] == "gzip")
        #expect(request.headers["api-key"] == "secret")
    }
}
