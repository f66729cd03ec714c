// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("The progress bar of dump-convert")
struct ProgressTests {
    private static var redrawing: Regex<(Substring, Substring)> {
        #/\r([a-z ]+[^\u{1b}\r]*)\u{1b}\[K/#
    }
    private static let erasing = "\r\u{1b}[K"

    /// Makes the program wait for a second or more when it opens `path`, or anything in the
    /// directory `path`.
    private func slowly(opening path: String) -> [String] {
        [
            "strace", "-f", "-o", "/dev/null", "-P", path, "-e", "trace=openat", "-e",
            "inject=openat:delay_enter=1000000",
        ]
    }

    private func check(_ run: PseudoTerminal.Run, label: String) {
        let drawn = run.screen.matches(of: Self.redrawing).map { String($0.output.1) }
        #expect(drawn.contains { $0.hasPrefix(label) }, "\(run.screen.debugDescription)")
        // Ten times a second at most; the first and the last may be closer to the ends.
        #expect(Double(drawn.count) <= run.seconds * 10 + 2)
        // One line, gone at the end: only what was printed stays on the terminal.
        for line in drawn { #expect(line.count < 80 && !line.contains("\n")) }
        #expect(run.screen.contains(Self.erasing))
        let afterLast = run.screen.split(separator: Self.redrawing).last ?? ""
        #expect(afterLast.hasPrefix(Self.erasing), "\(run.screen.debugDescription)")
    }

    @Test("is drawn while show reads slowly, and is gone before the report")
    func show() throws {
        let run = try PseudoTerminal.run(
            ["show", Sample.dumpPath], wrapper: slowly(opening: Sample.dumpPath))
        #expect(run.status == 0)
        check(run, label: "reading the dump … ")
        #expect(run.screen.contains("orderd "))
    }

    @Test("is drawn by convert")
    func convert() throws {
        let directory = try TemporaryDirectory()
        let run = try PseudoTerminal.run(
            ["convert", Sample.dumpPath, "-o", directory.path("x.dmp")], streams: .error,
            wrapper: slowly(opening: Sample.dumpPath))
        #expect(run.status == 0)
        check(run, label: "reading the dump … ")
    }

    @Test("counts dumps, reports and signatures")
    func counts() throws {
        let sample = try SampleDatabase()
        let id = "11111111-2222-4333-8444-555555555555"
        let other = "22222222-2222-4333-8444-555555555555"
        try sample.leaveDump(Sample.dump(), named: "a@\(id)")
        try sample.leaveDump(Sample.dump(), named: "b@\(other)")
        let process = try PseudoTerminal.run(
            ["process", "--database", sample.path], streams: .error,
            wrapper: slowly(opening: sample.path + "/pending-dumps"))
        #expect(process.status == 0)
        check(process, label: "converting dumps [")
        #expect(process.screen.contains("] 1/2"))

        let list = try PseudoTerminal.run(
            ["list", "--database", sample.path, "--group"], streams: .error,
            wrapper: slowly(opening: sample.path + "/pending"))
        #expect(list.status == 0)
        check(list, label: "reading reports ")
        #expect(list.output.hasPrefix("COUNT "))
    }

    @Test(
        "is not there where standard error is no terminal, or one that cannot erase",
        arguments: [false, true])
    func absent(isDumb: Bool) throws {
        let arguments = ["show", Sample.dumpPath]
        if isDumb {
            let run = try PseudoTerminal.run(
                arguments, streams: .error, environment: ["TERM": "dumb"],
                wrapper: slowly(opening: Sample.dumpPath))
            #expect(run.seconds > 1)
            #expect(run.screen == "")
        } else {
            let run = try Subprocess.run(
                slowly(opening: Sample.dumpPath) + [Products.executable("dump-convert")]
                    + arguments)
            #expect(run.ending == .exited(0))
            #expect(run.standardError == "")
        }
    }

    @Test("is not drawn for what is done at once")
    func quick() throws {
        let sample = try SampleDatabase()
        let run = try PseudoTerminal.run(["process", "--database", sample.path])
        #expect(run.status == 0)
        #expect(run.screen == "")
    }
}
