// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("dump-convert on a terminal")
struct TerminalTests {
    @Test("A report is coloured, and the same words as in a file where lines are long enough")
    func coloured() throws {
        let run = try PseudoTerminal.run(["show", Sample.dumpPath], columns: 250)
        #expect(run.status == 0)
        #expect(run.screen.hasPrefix("\u{1b}[1;31morderd "))
        let plain = try dumpConvert("show", Sample.dumpPath).standardOutput
        func words(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }
        #expect(words(run.screen.withoutColours) == words(plain))
        #expect(!run.screen.withoutColours.contains("\u{1b}"))
    }

    @Test(
        "No line is longer than the terminal is wide, however narrow that is",
        arguments: [30, 40, 80, 132])
    func narrow(columns: Int) throws {
        let run = try PseudoTerminal.run(
            ["show", "--all-threads", Sample.dumpPath], columns: columns)
        #expect(run.status == 0)
        let lines = run.screen.withoutColours.split(separator: "\n")
        #expect(lines.count > 20)
        for line in lines { #expect(line.count <= columns, "\(line)") }
    }

    @Test(
        "The environment and --color decide about colours",
        arguments: [
            (["NO_COLOR": "1"], [], false), (["NO_COLOR": "1"], ["--color", "always"], true),
            (["NO_COLOR": "1"], ["--color=auto"], false), (["TERM": "dumb"], [], false),
            (["CLICOLOR": "0"], [], false), ([:], ["--color", "never"], false),
            (["TERM": "dumb", "CLICOLOR_FORCE": "1"], [], true),
            (["CLICOLOR_FORCE": "0"], [], true),
            (["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], [], false),
        ] as [([String: String], [String], Bool)])
    func choice(environment: [String: String], options: [String], isColoured: Bool) throws {
        let run = try PseudoTerminal.run(
            ["show", Sample.dumpPath] + options, environment: environment)
        #expect(run.status == 0)
        #expect(run.screen.contains("\u{1b}[") == isColoured)
    }

    @Test("A pipe gets colours only when they are asked for, and lines as long as they are")
    func pipe() throws {
        for environment in [["CLICOLOR_FORCE": "1"], [:]] {
            let options = environment.isEmpty ? ["--color", "always"] : []
            let forced = try dumpConvert(
                ["show", Sample.dumpPath] + options, environment: environment)
            #expect(forced.standardOutput.contains("\u{1b}["))
            #expect(
                forced.standardOutput.withoutColours
                    == (try dumpConvert("show", Sample.dumpPath).standardOutput))
        }
    }

    @Test("A dump's names cannot drive a terminal that is coloured either")
    func escapes() throws {
        var bytes = try Sample.dump()
        let name = Array("worker".utf8)
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
        bytes.replaceSubrange(place..<place + name.count, with: "\u{1b}[2J\u{7}x".utf8)
        let directory = try TemporaryDirectory()
        let run = try PseudoTerminal.run(["show", directory.write(bytes, to: "evil")])
        #expect(run.status == 0)
        #expect(run.screen.contains("\\u{1b}[2J\\u{7}x"))
        let plain = run.screen.withoutColours
        #expect(!plain.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    }
}
