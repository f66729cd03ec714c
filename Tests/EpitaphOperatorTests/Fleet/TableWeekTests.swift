// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphFleet

/// Scripts/fleet-questions asks real engines, and compares their answers with counts of its own.
@Suite("A week from a table of ClickHouse")
struct TableWeekTests {
    private static let until = Timestamp(secondsSince1970: 1_795_392_000)  // 2026-11-23
    private static let since = 1_794_787_200

    let server = PlayedServer()

    private func read() throws -> FleetWeek {
        let span = try #require(
            WeekSpan(since: Timestamp(secondsSince1970: Double(Self.since)), until: Self.until))
        let location = try ClickHouseLocation("clickhouse:http://u:pass@ch.example:8123/d.crashes")
        return try TableWeek(ClickHouseClient(location, by: server), span).read()
    }

    /// Rows for the first statement that contains one of these words; none for others.
    private func play(_ rows: [(words: String, rows: String)]) {
        server.answer = { request in
            let found = rows.first { request.text.contains($0.words) }
            return UploadResponse(status: 200, body: Array((found?.rows ?? "").utf8))
        }
    }

    private static let totals =
        #"{"crashes":"7","hosts":3,"programs":"1","signatures":"2","releases":2}"#
    private static let earliest = #"{"crashes":9,"earliest":"1794000000"}"#
    private static let table = ("DESCRIBE", #"{"name":"id"}"# + "\n" + #"{"name":"time"}"#)
    private static let doubtful = ("AS reports FROM", #"{"reports":"2"}"#)
    private static let all: [(words: String, rows: String)] = [
        table, doubtful,
        (
            "AS error,",
            #"{"error":"double-free","reports":"3","hosts":2,"signatures":1}"#
        ),
        ("uniqExact(program, version)", totals), ("AS earliest", earliest),
        ("kind != 'crash'", #"{"kind":"hang","reports":4}"#),
        ("EXISTS", #"{"result":1}"#),
        ("sumIf(hours", #"{"program":"p","now":500.5,"before":400}"#),
        ("SELECT DISTINCT program", #"{"program":"p"}"#),
        (
            "one_hours",
            #"{"program":"p","signature_id":"a","text":"A","crashes":40,"crashes_before":"2","#
                + #""hosts":9,"hours":40,"hours_before":2,"most_hours":"5","most_hours_before":0,"#
                + #""report":"r1","first":1793000000}"#
        ),
        (
            "gone_in",
            #"{"program":"p","signature_id":"a","gone_in":"1","back_in":"2","seen":20,"among":30,"#
                + #""others":50,"back":1794787300}"#
        ),
        (
            "GLOBAL IN",
            #"{"program":"p","signature_id":"a","step":"167","crashes":4}"# + "\n"
                + #"{"program":"p","signature_id":"a","step":900,"crashes":4}"# + "\n"
        ),
        (
            "first_version",
            #"{"program":"p","signature_id":"b","text":"B","crashes":3,"hosts":1,"#
                + #""first":1794787300,"first_version":"2","report":"r2"}"#
        ),
        ("AS signatures\nFROM\n(", #"{"signatures":1}"#),
        (
            "AS versions",
            #"{"program":"p","signature_id":"a","text":"A","crashes":4,"hosts":2,"versions":1,"#
                + #""first":1794787200,"last":1795391999,"report":"r1"}"# + "\n"
                + #"{"program":"p","signature_id":"b","text":"B","crashes":3,"hosts":1,"#
                + #""versions":1,"first":1794787300,"last":1794787400,"report":"r2"}"#
        ),
        (
            "GROUP BY program, version\nHAVING",
            #"{"program":"p","version":"2","crashes":7,"hosts":3,"signatures":2,"first":1794787200}"#
        ),
        ("uniqExact(host) AS hosts\nFROM", #"{"hosts":"9"}"#),
        ("GROUP BY host", #"{"host":"h","crashes":7,"programs":1,"signatures":2}"#),
        ("GROUP BY step", #"{"step":0,"crashes":"3"}"# + "\n" + #"{"step":167,"crashes":"4"}"#),
    ]

    @Test("The answers become a week, whether numbers come as numbers or as texts")
    func week() throws {
        play(Self.all)
        let week = try read()
        #expect(week.crashCount == 7 && week.hostCount == 3 && week.releaseCount == 2)
        #expect(week.perStep[0] == 3 && week.perStep[167] == 4)
        #expect(week.newSignatureCount == 1 && week.doubtfulCount == 2)
        #expect(week.signatures.map(\.isNew) == [false, true])
        #expect(week.signatures[0].perStep[167] == 4)
        #expect(week.newSignatures.first?.firstVersion == "2")
        #expect(week.releases.filter(week.isNew).map(\.version) == ["2"])
        #expect(week.hosts.map(\.name) == ["h"])
        #expect(week.otherKinds == [.init(name: "hang", reportCount: 4)])
        #expect(
            week.memoryErrors == [
                .init(name: "double-free", reportCount: 3, hostCount: 2, signatureCount: 1)
            ])
        #expect(week.signatures.map(\.reportID) == ["r1", "r2"])
        #expect(week.before?.crashCount == 7 && week.hostCountOfBoth == 9)
        #expect(week.running == .init(now: 500.5, before: 400))
        let change = try #require(week.changes.first)
        #expect(change.gap == .init(goneIn: "1", backIn: "2"))
        #expect(abs((change.factor ?? 0) - 20 * 400 / 500.5) < 1e-9)
        #expect(week.change(of: week.signatures[0]) == change)
    }

    @Test("Without a table of running hours, hosts that reported count")
    func noHours() throws {
        play(Self.all.map { $0.words == "EXISTS" ? ($0.words, #"{"result":0}"#) : $0 })
        let week = try read()
        #expect(week.running == nil && week.changes.first?.factor == 20)
        #expect(!server.texts.contains { $0.contains("sumIf(hours") })
    }

    @Test("Every question reads rows that were merged, of the named table, and bounds its answer")
    func statements() throws {
        play(Self.all)
        _ = try read()
        #expect(server.texts.count == 20)
        for text in server.texts where !text.hasPrefix("DESCRIBE") && !text.hasPrefix("EXISTS") {
            #expect(text.contains("FROM d.crashes") || text.contains("FROM d.host_hours"))
            #expect(text.hasSuffix("FORMAT JSONEachRow"))
            #expect(
                text.contains(" FINAL") || text.contains("AS earliest")
                    || text.contains("uniqExact(id)") || text.contains("SELECT DISTINCT")
                    || text.contains("uniqExact(host) AS hosts\nFROM"))
            #expect(
                !text.contains("GROUP BY") || text.contains("LIMIT") || text.contains("count()")
                    || text.hasPrefix("SELECT uniqExact("))
            #expect(!text.contains("pass"))
        }
    }

    @Test(
        "The arrival is what the table has of it",
        arguments: [
            (["arrived", "inserted"], "toUnixTimestamp(arrived) >"),
            (["inserted"], "toUnixTimestamp(inserted) >"), ([], "(0 >"),
        ])
    func arrival(columns: [String], words: String) throws {
        let described = (["id", "time"] + columns).map { #"{"name":"\#($0)"}"# }
        play([("DESCRIBE", described.joined(separator: "\n"))] + Self.all)
        _ = try read()
        for text in server.texts where text.contains("crashes\n") {
            #expect(text.contains(words))
        }
    }

    @Test("An empty table is asked for nothing more")
    func empty() throws {
        play([
            Self.table, ("AS reports FROM", #"{"reports":0}"#),
            (
                "uniqExact(program, version)",
                #"{"crashes":0,"hosts":0,"programs":0,"signatures":0,"releases":0}"#
            ),
            ("AS earliest", #"{"crashes":"0","earliest":0}"#),
        ])
        let week = try read()
        #expect(week.crashCount == 0 && week.earliest == nil && week.newSignatureCount == nil)
        #expect(server.requests.count == 6)
    }

    @Test("Where the table begins with the week, it is not asked what is new")
    func begins() throws {
        play(
            Self.all.map {
                $0.words == "AS earliest"
                    ? ($0.words, #"{"crashes":9,"earliest":1794787200}"#) : $0
            })
        let week = try read()
        #expect(week.newSignatureCount == nil && week.newSignatures.isEmpty)
        #expect(!server.texts.contains { $0.contains("first_version") })
    }

    private static func totals(crashes: String) -> String {
        #"{"crashes":\#(crashes),"hosts":0,"programs":0,"signatures":0,"releases":0}"#
    }

    @Test(
        "What is no answer to the question is a sentence, and no number",
        arguments: [
            "", "<html>", "{}", totals(crashes: "-1"), totals(crashes: "99999999999999999999"),
            totals(crashes: "9223372036854775807"), totals + "\n" + totals,
        ])
    func invalid(_ answer: String) {
        play([Self.table, Self.doubtful, ("", answer)])
        #expect {
            try read()
        } throws: { error in
            guard case FleetError.invalidAnswer(let server, _)? = error as? FleetError else {
                return false
            }
            return server == "http://ch.example:8123" && !"\(error)".contains("pass")
        }
    }

    @Test("A server that refuses or is not there is named, without the password")
    func refused() {
        server.answer = { _ in
            UploadResponse(
                status: 404,
                body: Array("Code: 60. DB::Exception: Table d.crashes doesn't exist.".utf8))
        }
        #expect {
            try read()
        } throws: {
            "\($0)".hasPrefix("there is no table d.crashes of http://ch.example:8123")
        }
        server.answer = { _ throws(TransportError) in
            throw .timedOut(server: "http://ch.example:8123", reason: "nothing came")
        }
        #expect(throws: FleetError.self) { try read() }
    }
}
