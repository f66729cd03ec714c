// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Foundation
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("Socorro")
struct SocorroTests {
    private func body(of report: OutgoingReport) throws -> String {
        var destination = SocorroDestination(url: try UploadURL("https://collector/submit"))
        destination.compression = .none
        var random = SystemRandomNumberGenerator()
        let request = try destination.request(for: report, random: &random)
        let source = request.body
        return String(decoding: try source.readAll(), as: UTF8.self)
    }

    private func field(_ name: String, _ value: String) -> String {
        "name=\"\(name)\"\r\n\r\n\(value)\r\n"
    }

    @Test("A prod or ver that says something else than ProductName and Version is kept")
    func names() throws {
        let different = try body(
            of: .example(["ProductName": "Firefox", "prod": "fx", "Version": "1", "ver": "1"]))
        #expect(different.contains(field("ProductName", "Firefox")))
        #expect(different.contains(field("prod", "fx")))
        #expect(different.contains(field("Version", "1")))
        #expect(!different.contains("name=\"ver\""))
        let alone = try body(of: .example(["prod": "fx", "ver": "2"]))
        #expect(alone.contains(field("ProductName", "fx")))
        #expect(alone.contains(field("Version", "2")))
        #expect(!alone.contains("name=\"prod\"") && !alone.contains("name=\"ver\""))
    }

    @Test("No attachment has the name of a file of the collector's own, or another's")
    func attachments() throws {
        var report = OutgoingReport.example()
        let names = [
            "raw_crash", "dump_names", "app.log", "app_log", "app-log", "memory_report", "größe",
        ]
        report.attachments = names.map {
            OutgoingAttachment(name: $0, content: .bytes(ByteSlice(Array($0.utf8))))
        }
        let body = try body(of: report)
        for (field, file) in [
            ("attachment_raw_crash", "raw_crash"), ("attachment_dump_names", "dump_names"),
            ("app_log", "app.log"), ("app_log_2", "app_log"), ("app_log_3", "app-log"),
            ("memory_report", "memory_report"), ("gr__e", "gr__e"),
        ] {
            #expect(body.contains("name=\"\(field)\"; filename=\"\(file)\"\r\n"), "\(body)")
        }
    }
}
