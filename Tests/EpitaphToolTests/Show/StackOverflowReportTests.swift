// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// Stack overflows on every kind of thread, from the fault to the words.
@Suite("dump-convert on stack overflows")
struct StackOverflowReportTests {
    struct Overflow: Sendable, CustomTestStringConvertible {
        let victim: Victim
        let arguments: [String]
        let function: String
        var testDescription: String { arguments.joined(separator: " ") }
    }

    static let overflows =
        [["stack-overflow"], ["stack-overflow", "1", "thread"], ["stack-overflow", "1", "early"]]
        .map { Overflow(victim: .c, arguments: $0, function: "recurse") }
        + ["main", "foundation-thread", "dispatch", "task"].map {
            Overflow(
                victim: .swift, arguments: ["overflow-\($0)"],
                function: "recurseForEver")
        }

    @Test(
        "Each leaves one report with the overflowing function in the frames", arguments: overflows)
    func oneReport(_ overflow: Overflow) throws {
        let directory = try TemporaryDirectory()
        let database = directory.path("db")
        let run = try overflow.victim.run([database] + overflow.arguments)
        #expect(run.ending == .signalled(SIGSEGV))
        try dumpConvertOutput("process", "--database", database)
        let reports = try FileManager.default.contentsOfDirectory(atPath: database + "/pending")
        #expect(reports.count { $0.hasSuffix(".dmp") } == 1)
        let shown = try dumpConvert("show", "latest", "--database", database).standardOutput
        #expect(shown.hasPrefix("\(overflow.victim.name) "))
        #expect(shown.contains("\n  Signal      SIGSEGV "))
        let lines = shown.split(separator: "\n", omittingEmptySubsequences: false)
        let frames = lines.drop { !$0.hasPrefix("Crashing thread") }.dropFirst().prefix(20)
        #expect(
            frames.contains { line in
                line.contains(#/ … \d[\d,]+ frames (of .* )?repeated/#)
            }, "\(frames)")
        #expect(frames.contains { $0.contains(overflow.function) }, "\(frames)")
    }
}
