// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("dump-convert explain")
struct ExplainTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A minidump of its own program.
    private func minidump(_ name: String) throws -> String {
        try directory.write(Sample.minidump(program: "/usr/bin/\(name)"), to: name + ".dmp")
    }

    private func sorted(_ object: [String: Any]) throws -> String {
        let data = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
        return String(decoding: data, as: UTF8.self)
    }

    /// Runs it with a list on standard input.
    private func explain(list: [UInt8], _ options: String...) throws -> Subprocess {
        let path = try directory.write(list, to: "list")
        return try Subprocess.run(
            [
                "sh", "-c", "list=$1; shift; exec \"$@\" <\"$list\"", "sh", path,
                Products.executable("dump-convert"), "explain",
            ] + options)
    }

    private func inputs(_ text: String) throws -> [String] {
        try jsonLines(text).compactMap { $0["input"] as? String }.sorted()
    }

    @Test("A line is what show --json says of the report, and the report's name")
    func lineForm() throws {
        let path = try minidump("served")
        let explained = try dumpConvert("explain", path)
        #expect(explained.exitStatus == 0)
        #expect(explained.standardError == "")
        var line = try #require(jsonLines(explained.standardOutput).first)
        #expect(line.removeValue(forKey: "input") as? String == path)
        let shown = try dumpConvert("show", "--json", path)
        let report = try jsonObject(shown.standardOutput)
        #expect(try sorted(line) == sorted(report))
        #expect(
            try SchemaValidator.complaints(
                about: [explained.standardOutput],
                against: Products.packageRoot + "/docs/report-schema.json") == [])
    }

    @Test("A file that cannot be explained costs its line alone, and the exit status")
    func badFiles() throws {
        let good = try minidump("served")
        let bad = try directory.write(Array("words".utf8), to: "bad.dmp")
        let missing = directory.path("missing")
        let result = try dumpConvert("explain", bad, good, missing, directory.path)
        #expect(result.exitStatus == 1)
        let lines = try jsonLines(result.standardOutput)
        #expect(lines.count == 4)
        for line in lines where line["input"] as? String != good {
            #expect(line["schema"] as? String == "urn:epitaph:explanation-failure")
            #expect((line["error"] as? String)?.isEmpty == false)
        }
        #expect(
            result.standardError
                == "dump-convert: 3 of 4 inputs could not be explained: their lines say why\n")
    }

    @Test("Names come from standard input, by lines or zeros, and one that is no name costs a line")
    func lists() throws {
        let paths = try ["one", "two"].map(minidump)
        let byLines = try explain(list: Array((paths.joined(separator: "\n\n")).utf8))
        #expect(byLines.exitStatus == 0)
        #expect(try inputs(byLines.standardOutput) == paths)
        let zeros = Array((paths.joined(separator: "\0") + "\0").utf8)
        #expect(try inputs(explain(list: zeros, "-0", "-").standardOutput) == paths)
        let odd = try explain(
            list: [0x61, 0xff, 0x0a] + Array(repeating: 0x62, count: 200_000) + [0x0a]
                + Array(paths[0].utf8))
        let lines = try jsonLines(odd.standardOutput)
        #expect(odd.exitStatus == 1)
        #expect(lines.count == 3)
        #expect(lines[0]["input"] as? String == "a%FF")
        #expect(lines[0]["error"] as? String == "its name is not in UTF-8")
        #expect((lines[1]["error"] as? String)?.hasPrefix("it is longer than any name") == true)
        #expect(lines[2]["input"] as? String == paths[0])
    }

    @Test("With --rows a line is the row of the fleet's table")
    func rows() throws {
        let path = try minidump("served")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_787_368_500)], ofItemAtPath: path)
        let row = try #require(
            jsonLines(dumpConvert("explain", "--rows", path).standardOutput).first)
        #expect(row["schema"] as? String == "urn:epitaph:crash-record")
        #expect(row["input"] as? String == path)
        #expect(row["program"] as? String == "served")
        #expect(row["version"] as? String == "1.2.3")
        #expect(row["annotations"] as? [String: String] == ["ver": "1.2.3"])
        #expect(row["signal"] as? String == "SIGSEGV")
        #expect(row["arrived"] as? String == "2026-08-22 03:15:00")
    }

    @Test("A file of the future arrived no later than it is read")
    func arrivedAhead() throws {
        let path = try minidump("served")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 4_000_000_000)], ofItemAtPath: path)
        let row = try #require(
            jsonLines(dumpConvert("explain", "--rows", path).standardOutput).first)
        // 4,000,000,000 is in 2096.
        #expect((row["arrived"] as? String).map { $0 < "2096" } == true)
    }

    @Test("What was interrupted is continued: half a line is cut, and nothing is there twice")
    func resumed() throws {
        let paths = try ["one", "two", "three"].map(minidump)
        let file = directory.path("lines")
        #expect(try dumpConvert("explain", "-o", file, paths[0]).exitStatus == 0)
        let whole = try String(contentsOfFile: file, encoding: .utf8)
        let refused = try dumpConvert(["explain", "-o", file] + paths)
        #expect(refused.exitStatus == 1)
        #expect(refused.standardError == "dump-convert: \(file) exists; --resume continues it\n")
        try (whole + whole.prefix(200)).write(toFile: file, atomically: false, encoding: .utf8)
        for _ in 0..<2 {
            let resumed = try dumpConvert(["explain", "-o", file, "--resume"] + paths)
            #expect(resumed.exitStatus == 0)
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(try inputs(text) == paths.sorted())
            #expect(text.hasPrefix(whole))
        }
    }

    @Test("A file of something else is not continued and not changed")
    func otherFile() throws {
        let text = "{\"input\":\"x\"}\n{\"schema\":\"urn:epitaph:"
        let file = try directory.write(Array(text.utf8), to: "other")
        let result = try dumpConvert("explain", "-o", file, "--resume", try minidump("served"))
        result.expectFailure(1, saying: "is no line of explain")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
        #expect(try dumpConvert("explain", "--resume", file).exitStatus == 2)
    }

    @Test("A full disk leaves whole lines, and ends the run with a sentence")
    func fullDisk() throws {
        let path = try minidump("served")
        let result = try Subprocess.run([
            "bash", "-c", "ulimit -f 1; trap '' XFSZ; exec \"$@\"", "bash",
            Products.executable("dump-convert"), "explain", "-o", directory.path("lines"),
            path, path,
        ])
        result.expectFailure(1, saying: "cannot write")
        #expect(try Data(contentsOf: URL(fileURLWithPath: directory.path("lines"))).isEmpty)
    }

    @Test("SIGTERM ends a run that waits for names, and says that the list was not at its end")
    func stopped() throws {
        let script = """
            exec 3<>"$1/fifo"
            "$2" explain <&3 >"$1/out" 2>"$1/err" &
            child=$!
            printf '%s\\n' "$3" >&3
            until [ -s "$1/out" ] || [ $SECONDS -gt 50 ]; do sleep 0.02; done
            kill -TERM $child
            wait $child
            """
        _ = mkfifo(directory.path("fifo"), 0o600)
        let path = try minidump("served")
        let result = try Subprocess.run([
            "bash", "-c", script, "bash", directory.path, Products.executable("dump-convert"), path,
        ])
        #expect(result.exitStatus == 1)
        let output = try String(contentsOfFile: directory.path("out"), encoding: .utf8)
        #expect(try inputs(output) == [path])
        let errors = try String(contentsOfFile: directory.path("err"), encoding: .utf8)
        #expect(errors == "dump-convert: stopped after 1 input, before the end of the list\n")
    }
}
