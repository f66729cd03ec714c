// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("How often show says that a death was seen")
struct RecurrenceTests {
    private let sample: SampleDatabase
    private let now = Timestamp.now

    init() throws { sample = try SampleDatabase() }

    private static func id(_ number: Int) -> String {
        "\(number)1111111-2222-4333-8444-555555555555"
    }

    private func file(
        _ number: Int, program: String = "/usr/bin/a", daysAgo: Double, version: String,
        host: String
    ) throws {
        var snapshot = Sample.snapshot(program: program)
        snapshot.process.snapshotTime = now.adding(seconds: -daysAgo * 86_400)
        snapshot.annotations = [
            Annotation(name: "ver", value: version), Annotation(name: "hostname", value: host),
        ]
        try sample.file(Sample.minidump(snapshot), id: Self.id(number))
    }

    private func seen(_ number: Int, _ options: String...) throws -> String? {
        let shown = try dumpConvert(
            ["show", "--no-symbols", "--database", sample.path, Self.id(number)] + options)
        #expect(shown.ending == .exited(0), "\(shown.standardError)")
        return shown.standardOutput.split(separator: "\n")
            .first { $0.hasPrefix("  Seen        ") }
            .map { String($0.dropFirst(14)) }
    }

    @Test("Its place among those of one program, since when and which version, on how many hosts")
    func counted() throws {
        try file(1, daysAgo: 3, version: "1.4", host: "web-1")
        try file(2, daysAgo: 2, version: "1.5", host: "web-2")
        try file(3, daysAgo: 1, version: "1.5", host: "web-2")
        try file(4, program: "/usr/bin/b", daysAgo: 0.5, version: "1.5", host: "web-3")
        // Without kept signatures nothing is known.
        #expect(try seen(3) == nil)
        _ = try dumpConvert("list", "--group", "--database", sample.path)
        // Another program that dies in functions of the same names.
        let signatures = sample.path + "/signatures/"
        try Data(contentsOf: URL(fileURLWithPath: signatures + Self.id(3)))
            .write(to: URL(fileURLWithPath: signatures + Self.id(4)))
        let day = DateFormatter()
        day.locale = Locale(identifier: "en_US_POSIX")
        day.timeZone = TimeZone(identifier: "UTC")
        day.dateFormat = "EEEE"
        let first = day.string(from: Date(timeIntervalSince1970: now.secondsSince1970 - 3 * 86_400))
        #expect(try seen(3) == "3rd since \(first), first seen in 1.4, on 2 hosts")
        #expect(try seen(1) == "1st of 3 since \(first), first seen in 1.4, on 2 hosts")
        #expect(try seen(4) == "once, in the reports that are here")
        let page = sample.directory.path("page.html")
        _ = try seen(3, "--html", page)
        let text = try String(contentsOfFile: page, encoding: .utf8)
        #expect(text.contains("3rd since \(first), first seen in 1.4, on 2 hosts"))
    }

    @Test("Long ago it is a date")
    func date() throws {
        try file(1, daysAgo: 40, version: "", host: "")
        for number in 2...4 { try file(number, daysAgo: 1, version: "", host: "") }
        _ = try dumpConvert("list", "--group", "--database", sample.path)
        let day = UTCTime.text(now.adding(seconds: -40 * 86_400)).prefix(10)
        #expect(try seen(4) == "4th since \(day)")
    }
}
