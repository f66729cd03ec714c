// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("Backtrace")
struct BacktraceTests {
    private func body(of report: OutgoingReport) throws -> String {
        var destination = try BacktraceDestination(universe: "u", token: "0123456789abcdef")
        destination.compression = .none
        var random = SystemRandomNumberGenerator()
        let source = try destination.request(for: report, random: &random).body
        return String(decoding: try source.readAll(), as: UTF8.self)
    }

    @Test("Breadcrumbs are the file that Backtrace's page of a report reads, with typed attributes")
    func breadcrumbs() throws {
        var query = Breadcrumb(
            number: 7, timeNanoseconds: 1_700_000_000_123_456_789, level: .warning,
            category: "sql", message: "slow \"query\"")
        query.kind = "query"
        query.attributes = [
            Annotation(name: "rows", value: "17", type: .integer),
            Annotation(name: "share", value: "0.5", type: .number),
            Annotation(name: "cached", value: "true", type: .boolean),
            Annotation(name: "who", value: "17"),
        ]
        let system = Breadcrumb(
            number: 8, timeNanoseconds: 1_700_000_001_000_000_000, level: .fatal,
            category: "system", message: "the clock was set")
        var report = OutgoingReport.example()
        report.breadcrumbs = [query, system]
        let head =
            "name=\"attachment_bt-breadcrumbs-0\"; filename=\"bt-breadcrumbs-0\"\r\n"
            + "Content-Type: application/json\r\n\r\n"
        let part = try #require(body(of: report).components(separatedBy: head).dropFirst().first)
        let text = try #require(part.components(separatedBy: "\r\n").first)
        #expect(
            try JSONValue(parsing: text.utf8)
                == .list([
                    .object([
                        "id": .integer(7), "timestamp": .integer(1_700_000_000_123),
                        "level": .text("warning"), "type": .text("manual"),
                        "message": .text("slow \"query\""),
                        "attributes": .object([
                            "rows": .integer(17), "share": .number(0.5), "cached": .boolean(true),
                            "who": .text("17"), "category": .text("sql"), "type": .text("query"),
                        ]),
                    ]),
                    .object([
                        "id": .integer(8), "timestamp": .integer(1_700_000_001_000),
                        "level": .text("fatal"), "type": .text("system"),
                        "message": .text("the clock was set"), "attributes": .object([:]),
                    ]),
                ]))
    }

    @Test("Without breadcrumbs there is no such file")
    func none() throws {
        #expect(try !body(of: .example()).contains("bt-breadcrumbs"))
    }
}
