// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("dump-convert diff")
struct DiffTests {
    private let sample: SampleDatabase
    private static let ids = [
        "11111111-2222-4333-8444-555555555555", "22222222-2222-4333-8444-555555555555",
    ]

    init() throws {
        sample = try SampleDatabase()
        var first = Sample.snapshot()
        first.modules[0].buildID = [1, 2, 3, 4]
        try sample.file(Sample.minidump(first), id: Self.ids[0])
        var second = Sample.snapshot()
        second.modules[0].buildID = [9, 2, 3, 4]
        second.annotations = [
            Annotation(name: "ver", value: "1.2.4"), Annotation(name: "new", value: "\u{1b}[2J"),
        ]
        try sample.file(Sample.minidump(second), id: Self.ids[1])
    }

    private func diff(_ words: String...) throws -> Subprocess {
        try dumpConvert(["diff", "--database", sample.path] + words)
    }

    @Test("What is the same is there once, and what differs side by side")
    func sections() throws {
        let result = try diff("1111", "2222")
        #expect(result.ending == .exited(0), "\(result.standardError)")
        let lines = result.standardOutput.split(separator: "\n").map(String.init)
        #expect(lines.contains("They are of different builds of the program."))
        func row(_ label: String) -> String? {
            lines.first { $0.hasPrefix("  \(label) ") }
        }
        #expect(row("Program")?.hasSuffix(" =  /usr/bin/served") == true)
        #expect(row("Build id")?.contains("|  01020304") == true)
        #expect(row("Build id")?.hasSuffix("09020304") == true)
        #expect(row("ver")?.contains("|  1.2.3") == true && row("ver")?.hasSuffix("1.2.4") == true)
        #expect(row("new")?.contains(">  ") == true)
        #expect(row("new")?.hasSuffix("\\u{1b}[2J") == true)
        #expect(lines.contains("Modules that differ:"))
    }

    @Test("A report is the same as itself")
    func same() throws {
        let text = try diff("1111", "latest", "--json").standardOutput
        #expect(text.contains("\"changed\""))
        let json = try jsonObject(try diff("1111", "1111", "--json").standardOutput)
        #expect(json["schema"] as? String == "urn:epitaph:report-diff")
        #expect(json["sameSignature"] as? Bool == true)
        let rows = (json["sections"] as? [[String: Any]] ?? []).flatMap {
            $0["rows"] as? [[String: Any]] ?? []
        }
        #expect(rows.count > 8)
        #expect(rows.allSatisfy { $0["change"] as? String == "same" })
    }

    @Test("Calls of the same functions stand in one row, whatever their addresses")
    func stacks() throws {
        let directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(["-O0", "-g"], in: directory)
        let ways = ["recursion", "abort"]
        for (number, way) in ways.enumerated() {
            let crash = try DebuggedProgram(running: [program, way], in: directory)
            try sample.file(
                Sample.minidump(crash.snapshot), id: "3\(number)000000-2222-4333-8444-555555555555")
        }
        let text = try diff("30", "31").standardOutput
        let main = try #require(text.split(separator: "\n").first { $0.contains(" main at ") })
        #expect(main.split(separator: " ").first == "|" || main.split(separator: " ").first == "=")
        #expect(text.contains("\n  <  touch at crash.c:"))
        #expect(text.contains("Both are of the same build of the program."))
        #expect(text.contains("The signatures differ."))
    }

    @Test("On a terminal no line is broken", arguments: [40, 80, 132])
    func terminal(columns: Int) throws {
        let run = try PseudoTerminal.run(
            ["diff", "--database", sample.path, "1111", "2222"], columns: columns)
        #expect(run.status == 0)
        for line in run.screen.withoutColours.split(separator: "\n") {
            #expect(line.count <= columns, "\(line)")
        }
    }

    @Test("Both reports are needed")
    func usage() throws {
        #expect(try diff().standardError.contains("diff: REPORT is missing"))
        let one = try diff("1111")
        one.expectFailure(2, saying: "diff: OTHER is missing")
        let none = try diff("1111", "3333")
        none.expectFailure(3, saying: "there is no report 3333")
    }
}
