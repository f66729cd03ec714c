// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("dump-convert list on a terminal")
struct ListTerminalTests {
    private static let id = "12345678-2222-4333-8444-555555555555"
    private let sample: SampleDatabase

    init() throws {
        sample = try SampleDatabase()
        try sample.file(Sample.minidump(program: "/usr/lib/exampled/exampled"), id: Self.id)
    }

    private func lines(_ options: [String] = [], columns: Int) throws -> [String] {
        let run = try PseudoTerminal.run(
            ["list", "--database", sample.path] + options, columns: columns)
        #expect(run.status == 0)
        return run.screen.split(separator: "\n").map(String.init)
    }

    @Test(
        "No line is broken, and what matters most is still there",
        arguments: [44, 60, 80, 100, 132])
    func fits(columns: Int) throws {
        for options in [[], ["--group"], ["--database", sample.path + "/"]] {
            let lines = try lines(options, columns: columns)
            #expect(lines.count >= 2)
            for line in lines { #expect(line.count <= columns, "\(line)") }
            #expect(lines[1].contains("12345678"))
            #expect(options == ["--group"] || lines[1].contains("SIGSEGV"))
        }
    }

    @Test("A wide terminal shows everything")
    func wide() throws {
        let line = try lines(columns: 160)[1]
        #expect(line.hasPrefix(Self.id + "  2026-08-22T03:14:07Z  SIGSEGV  pending  0  "))
        #expect(line.hasSuffix("/usr/lib/exampled/exampled"))
    }

    @Test("A shortened id is one that show understands, also among similar ones")
    func ambiguity() throws {
        // It is not in the list, but in the database.
        let other = "12345678-2222-4333-8444-655555555555"
        var late = Sample.snapshot(program: "/usr/bin/other")
        late.process.snapshotTime = Timestamp(secondsSince1970: 1_787_368_447 + 60)
        try sample.file(Sample.minidump(late), id: other)
        let line = try #require(try lines(["--program", "exampled"], columns: 80).last)
        let short = String(line.prefix { $0 != " " })
        #expect(short.count < Self.id.count)
        let shown = try dumpConvert("show", "--database", sample.path, short)
        #expect(shown.ending == .exited(0), "\(shown.standardError)")
        #expect(shown.standardOutput.contains("/usr/lib/exampled/exampled"))
    }
}
