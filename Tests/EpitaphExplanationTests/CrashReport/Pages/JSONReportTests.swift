// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphPages
import EpitaphValues
import Foundation
import Testing

/// What a JSON report says.
@Suite struct JSONReportTests {
    private func object(
        _ explanation: CrashExplanation, threads: ThreadSelection = .all, isPretty: Bool = true
    ) throws -> [String: Any] {
        let text = JSONReport(explanation, threads: threads, isPretty: isPretty).text
        return try #require(
            JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private func object(_ value: Any?, _ path: String...) throws -> [String: Any] {
        var value = value as? [String: Any]
        for name in path { value = value?[name] as? [String: Any] }
        return try #require(value)
    }

    @Test("Program, reason and times are those of the snapshot")
    func facts() throws {
        let report = try object(Sample.everythingExplained())
        #expect(report["schema"] as? String == "urn:epitaph:crash-report")
        #expect(report["schemaVersion"] as? Int == 2)
        let program = try object(report, "program")
        #expect(program["name"] as? String == "sampled")
        #expect(program["commandLine"] as? [String] == ["sampled", "--port", "8080"])
        let reason = try object(report, "reason")
        #expect(try object(reason, "signal")["name"] as? String == "SIGSEGV")
        #expect(reason["address"] as? String == "0x10")
        #expect(reason["access"] as? String == "write")
        let times = try object(report, "times")
        #expect(times["start"] as? String == "2026-08-22T03:04:05.000Z")
        #expect(times["snapshot"] as? String == "2026-08-22T03:14:07.500Z")
        #expect(try object(report, "process")["uptimeSeconds"] as? Double == 602.500000001)
    }

    @Test("The crashing thread comes first, its recursion folded, its registers as strings")
    func threads() throws {
        let report = try object(Sample.everythingExplained())
        let threads = try #require(report["threads"] as? [[String: Any]])
        #expect(threads.map { $0["id"] as? Int } == [4712, 4711, 4713, 4714])
        #expect(threads.map { $0["isCrashing"] as? Bool } == [true, false, false, false])
        #expect(try object(threads[0], "registers")["rip"] as? String == "0x401234")
        let frames = try #require(
            try object(threads[0], "stack")["frames"] as? [[String: Any]])
        let kinds = frames.map { $0["kind"] as? String }
        #expect(kinds.count { $0 == "repeat" } == 1)
        #expect(frames.count == 8)
        #expect(frames[6]["frameCount"] as? Int == 99)
        #expect(try object(frames[2], "source")["line"] as? Int == 42)
        #expect(try object(frames[2], "module")["offset"] as? String == "0x2000")
    }

    @Test("A choice of threads leaves the others out and says how many there were")
    func selection() throws {
        let explanation = Sample.everythingExplained()
        for (choice, ids) in [
            (ThreadSelection.all, [4712, 4711, 4713, 4714]), (.crashing, [4712]),
            (.these([4713]), [4712, 4713]),
        ] {
            let report = try object(explanation, threads: choice)
            let threads = try #require(report["threads"] as? [[String: Any]])
            #expect(threads.map { $0["id"] as? Int } == ids)
            #expect(report["threadCount"] as? Int == 4)
        }
    }

    @Test("Compact and pretty reports hold the same, the compact one on one line")
    func compact() throws {
        let explanation = Sample.everythingExplained()
        let compact = JSONReport(explanation, isPretty: false).text
        #expect(!compact.contains("\n"))
        let pretty = try object(explanation)
        #expect(
            NSDictionary(dictionary: try object(explanation, isPretty: false))
                == NSDictionary(dictionary: pretty))
    }

    @Test("Any text comes back as it was, and nothing in it acts on a terminal")
    func hostileText() throws {
        let nasty =
            "\u{0}\u{1b}[2J\"\\/\n\r\t\u{7f}\u{85}\u{2028}\u{202e}\u{e0001}😀\u{feff}é</script>"
        var snapshot = Sample.crash()
        snapshot.threads[1].name = nasty
        snapshot.annotations = [Annotation(name: nasty, value: nasty)]
        let explanation = CrashExplanation(snapshot, stacks: [])
        let annotations = try #require(
            try object(explanation)["annotations"] as? [[String: String]])
        #expect(annotations == [["name": nasty, "value": nasty]])
        let text = JSONReport(explanation).text
        #expect(
            text.unicodeScalars.allSatisfy {
                $0 == "\n"
                    || ($0.value >= 0x20 && $0.properties.generalCategory != .format)
                        && $0.properties.generalCategory != .control
            })
    }

    @Test("An empty snapshot makes a report too")
    func empty() throws {
        let report = try object(
            CrashExplanation(ProcessSnapshot(architecture: .aarch64), stacks: []))
        #expect(report["reason"] == nil)
        #expect(try object(report, "system")["architecture"] as? String == "aarch64")
    }
}
