// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphFleet

@Suite("Putting records into ClickHouse")
struct RowInserterTests {
    static let current = """
        {"name":"id","type":"UUID"}
        {"name":"time","type":"DateTime('UTC')"}
        {"name":"microseconds","type":"UInt32"}
        {"name":"host","type":"LowCardinality(String)"}
        {"name":"program","type":"String"}
        {"name":"version","type":"String"}
        {"name":"build_id","type":"String"}
        {"name":"signature","type":"String"}
        {"name":"signature_id","type":"String"}
        {"name":"kind","type":"String"}
        {"name":"signal","type":"String"}
        {"name":"function","type":"String"}
        {"name":"frames","type":"Array(String)"}
        {"name":"annotations","type":"Map(String, String)"}
        {"name":"arrived","type":"DateTime('UTC')"}
        {"name":"inserted","type":"DateTime"}
        """

    let server = PlayedServer()
    let clock = TestClock()

    private func inserter(
        patience: Double = 600, notes: @escaping (String) -> Void = { _ in }
    ) throws -> RowInserter {
        let location = try ClickHouseLocation("clickhouse:http://u:pass@ch.example:8123/d.crashes")
        return RowInserter(
            ClickHouseClient(location, by: server), clock: clock, patienceSeconds: patience,
            jitter: { 0 }, note: notes)
    }

    /// The server knows a table and settings, and answers an INSERT with these, then with 200.
    private func play(
        columns: String = current, settings: [String] = ["insert_distributed_sync"],
        inserts: [UploadResponse] = []
    ) {
        var left = inserts[...]
        server.answer = { request in
            if request.text.hasPrefix("DESCRIBE") {
                return UploadResponse(status: 200, body: Array(columns.utf8))
            }
            if request.text.hasPrefix("SELECT name") {
                let names = settings.map { "{\"name\":\"\($0)\"}\n" }.joined()
                return UploadResponse(status: 200, body: Array(names.utf8))
            }
            return left.popFirst() ?? UploadResponse(status: 200)
        }
    }

    private var inserts: [PlayedServer.Request] {
        server.requests.filter { $0.url.contains("INSERT") }
    }

    static func exception(_ code: Int, status: Int = 500) -> UploadResponse {
        UploadResponse(
            status: status,
            body: Array("Code: \(code), e.displayText() = DB::Exception: Words.\n".utf8))
    }

    @Test("Rows go out as JSONEachRow, with the columns named and only settings that are known")
    func request() throws {
        play(settings: ["distributed_foreground_insert", "insert_deduplication_token"])
        try inserter().insert([CrashRecordTests.record(), CrashRecordTests.record()])
        let request = try #require(inserts.first)
        #expect(inserts.count == 1)
        #expect(request.text.split(separator: "\n").count == 2)
        #expect(request.text.hasSuffix("}\n"))
        #expect(request.url.hasPrefix("http://u:pass@ch.example:8123/?wait_end_of_query=1&query="))
        #expect(
            request.url.contains(
                "INSERT%20INTO%20d.crashes%20%28%60id%60%2C%20%60time%60%2C"))
        #expect(request.url.contains("FORMAT%20JSONEachRow&distributed_foreground_insert=1"))
        #expect(request.url.contains("insert_deduplication_token=epitaph-"))
        #expect(!request.url.contains("async_insert"))
        #expect(!request.url.contains("inserted"))
    }

    @Test("What failed for a while is sent again byte for byte, at growing intervals")
    func retried() throws {
        play(
            settings: ["insert_deduplication_token"],
            inserts: [
                Self.exception(241), Self.exception(243), UploadResponse(status: 503),
                Self.exception(252, status: 200),
            ])
        var notes: [String] = []
        try inserter(notes: { notes.append($0) }).insert([CrashRecordTests.record()])
        #expect(inserts.count == 5)
        #expect(Set(inserts.map(\.text)).count == 1)
        #expect(Set(inserts.map(\.url)).count == 1)
        #expect(clock.waits == [1, 2, 4, 8])
        #expect(notes.count == 2)
        #expect(notes[0].contains("it is tried again"))
        #expect(notes[0].contains("DB::Exception: Words."))
        #expect(notes[1] == "http://ch.example:8123 works again")
    }

    @Test("A server that is gone for longer than the patience is given up, with its reason")
    func givenUp() throws {
        server.answer = { _ throws(TransportError) in
            throw .cannotConnect(server: "http://ch.example:8123", reason: "refused")
        }
        let error = #expect(throws: FleetError.self) {
            try inserter(patience: 3600).insert([CrashRecordTests.record()])
        }
        #expect(
            error
                == .notNow(
                    server: "http://ch.example:8123",
                    reason: "cannot connect to http://ch.example:8123: refused"))
        // Never more than the hour, and not much less.
        #expect((3599...3600).contains(clock.waits.reduce(0, +)))
        #expect(clock.waits.count < 30)
    }

    @Test("A wait ends when the work is stopped")
    func stopped() throws {
        play(inserts: [Self.exception(241), Self.exception(241)])
        clock.stop(inWait: 1)
        #expect(throws: FleetError.stopped) {
            try inserter().insert([CrashRecordTests.record()])
        }
        #expect(inserts.count == 1)
    }

    @Test(
        "What another try does not change is not tried again",
        arguments: [
            exception(516), exception(62), exception(60, status: 404), exception(27, status: 400),
            UploadResponse(status: 403), UploadResponse(status: 404),
            UploadResponse(status: 200, body: Array("<html>a proxy</html>".utf8)),
            UploadResponse(
                status: 200, headers: AnswerHeaders([("X-ClickHouse-Exception-Code", "62")])),
        ])
    func refused(answer: UploadResponse) throws {
        play(inserts: [answer])
        #expect(throws: FleetError.self) { try inserter().insert([CrashRecordTests.record()]) }
        #expect(inserts.count == 1)
        #expect(clock.waits.isEmpty)
    }

    @Test("A table that is not there is named, and so is the page that has it")
    func noTable() throws {
        server.answer(Self.exception(60, status: 404))
        let error = try #require(
            #expect(throws: FleetError.self) { try inserter().prepare() })
        #expect(
            "\(error)".hasPrefix(
                "there is no table d.crashes of http://ch.example:8123: make it with the statements "
                    + "of docs/fleet.md"))
    }

    @Test("An older table gets what it has columns for, and the statement that adds the others")
    func olderTable() throws {
        let columns = """
            {"name":"id","type":"UUID"}
            {"name":"time","type":"DateTime"}
            {"name":"host","type":"String"}
            {"name":"annotations.name","type":"Array(String)"}
            {"name":"annotations.value","type":"Array(String)"}
            """
        play(columns: columns)
        var notes: [String] = []
        let inserter = try inserter(notes: { notes.append($0) })
        try inserter.insert([CrashRecordTests.record()])
        try inserter.insert([CrashRecordTests.record()])
        let body = try #require(inserts.first).body
        let row = try #require(
            JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
        #expect(
            Set(row.keys) == ["id", "time", "host", "annotations.name", "annotations.value"])
        #expect(notes.count == 1)
        #expect(notes[0].contains("ALTER TABLE d.crashes ADD COLUMN microseconds UInt32, "))
        #expect(notes[0].contains("ADD COLUMN frames Array(String)"))
        #expect(!notes[0].contains("COLUMN host"))
        #expect(notes[0].hasSuffix("ADD COLUMN arrived DateTime('UTC')"))
    }

    @Test("Rows of a table that notes their insertion arrived then")
    func arrival() throws {
        let columns = Self.current.split(separator: "\n").filter { !$0.contains("arrived") }
        play(columns: columns.joined(separator: "\n"))
        var notes: [String] = []
        try inserter(notes: { notes.append($0) }).insert([CrashRecordTests.record()])
        #expect(
            notes.first?.hasSuffix(
                "ALTER TABLE d.crashes ADD COLUMN arrived DateTime('UTC') DEFAULT inserted")
                == true)
    }

    @Test("A table without ids is no table for crashes")
    func wrongTable() throws {
        play(columns: "{\"name\":\"time\",\"type\":\"DateTime\"}")
        let error = try #require(
            #expect(throws: FleetError.self) { try inserter().prepare() })
        #expect("\(error)".contains("it has no column id"))
    }

    @Test(
        "A place that is written wrong is refused",
        arguments: [
            "", "clickhouse:", "clickhouse:host/t", "clickhouse:ftp://host/t",
            "clickhouse:http://host", "clickhouse:http://host/", "clickhouse:http://host/a.b.c",
            "clickhouse:http://host/a-b", "clickhouse:http://host/d.t?user=x",
            "clickhouse:http://host/d.1t", "clickhouse:http://host/d.t;DROP",
        ])
    func wrongPlaces(text: String) {
        #expect(throws: FleetError.self) { try ClickHouseLocation(text) }
    }

    @Test("A place shows neither user nor password")
    func places() throws {
        let place = try ClickHouseLocation("clickhouse:https://u:secret@h:8443/path/crashes")
        #expect(place.database == nil)
        #expect(place.url.text == "https://u:secret@h:8443/path/")
        #expect("\(place)" == "table crashes of https://h:8443")
        #expect(!String(reflecting: place).contains("secret"))
    }
}
