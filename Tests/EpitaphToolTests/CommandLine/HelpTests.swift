// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("dump-convert --help")
struct HelpTests {
    static let commands = [
        "run", "covered", "process", "list", "show", "diff", "explain", "upload", "upload-logs",
        "prune", "watch", "config", "stats", "fleet", "settings", "symbols", "convert", "debug",
        "core-pipe", "completion", "man",
    ]

    @Test(
        "The help is the recorded one; EPITAPH_RECORD_FIXTURES=1 records it anew",
        arguments: ["dump-convert"] + commands)
    func recorded(name: String) throws {
        let help =
            name == "dump-convert" ? try dumpConvert("--help") : try dumpConvert(name, "--help")
        #expect(help.ending == .exited(0))
        #expect(help.standardError == "")
        let file = URL(fileURLWithPath: Products.fixture("help/\(name).txt"))
        if ProcessInfo.processInfo.environment["EPITAPH_RECORD_FIXTURES"] == "1" {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(help.standardOutput.utf8).write(to: file)
        }
        #expect(try help.standardOutput == String(contentsOf: file, encoding: .utf8))
    }

    @Test("-h is --help, and help is given even when the rest is incomplete", arguments: commands)
    func short(name: String) throws {
        let short = try dumpConvert(name, "-h")
        #expect(short.ending == .exited(0))
        #expect(short.standardOutput == (try dumpConvert(name, "--help").standardOutput))
    }

    @Test("No line of a help text is longer than a terminal is wide", arguments: commands)
    func width(name: String) throws {
        let help = try dumpConvert(name, "--help").standardOutput
        for line in help.split(separator: "\n") {
            #expect(line.count <= 80)
        }
    }

    @Test("--version names the program and its version")
    func version() throws {
        let version = try dumpConvert("--version")
        #expect(version.ending == .exited(0))
        #expect(version.standardOutput.wholeMatch(of: /dump-convert \d+\.\d+\.\d+\n/) != nil)
    }

    @Test("Each command has a heading on the page, and each option there is one of the help")
    func page() throws {
        let page = try String(
            contentsOfFile: Products.packageRoot + "/docs/dump-convert.md", encoding: .utf8)
        var known: Set = ["--scrub", "--help"]
        for command in Self.commands {
            let help = try dumpConvert(command, "--help").standardOutput
            #expect(page.contains("### `dump-convert \(command)`\n"))
            known.formUnion(help.matches(of: /--[a-z-]+/).map { String($0.output) })
        }
        for option in page.matches(of: /(?:`| |\[)(--[a-z][a-z-]*)/) {
            #expect(known.contains(String(option.1)), "\(option.1)")
        }
    }
}
