// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Testing

@Suite("A dump-convert command line that is wrong")
struct UsageTests {
    @Test(
        "is answered with one sentence and status 2",
        arguments: [
            ([], "a command is missing"),
            (["proces"], "there is no command \"proces\" (did you mean \"process\"?)"),
            (["frobnicate"], "there is no command \"frobnicate\""),
            (["process"], "--database DIR is missing (or set EPITAPH_DATABASE)"),
            (
                ["list", "--datbase", "x"],
                "there is no option --datbase (did you mean --database?)"
            ),
            (["list", "-x"], "there is no option -x"),
            (["list", "--database"], "--database needs a value: --database DIR"),
            (["list", "--database="], "--database needs a value: --database DIR"),
            (["prune", "--database", "a", "--database=b"], "--database is given twice"),
            (["list", "--database", "a", "b"], "unexpected operand: \"b\""),
            (["process", "--database", "a", "--all=1"], "--all takes no value"),
            (
                ["process", "--database", "a", "--all", "--limit", "3"],
                "--limit and --all cannot be combined"
            ),
            (
                ["process", "--database", "a", "--limit", "0"],
                "--limit takes a whole number, at least 1, not \"0\""
            ),
            (
                ["process", "--database", "a", "--limit", "many"],
                "--limit takes a whole number, at least 1, not \"many\""
            ),
            (
                ["prune", "--database", "a", "--max-age", "0"],
                "--max-age takes a whole number, at least 1, not \"0\""
            ),
            (
                ["settings", "--database", "a", "--enable-uploads", "--disable-uploads"],
                "--enable-uploads and --disable-uploads cannot be combined"
            ),
            (
                ["show", "a\u{fffd}.dmp"],
                "REPORT: \"a\u{fffd}.dmp\" cannot be opened: names have to be UTF-8, without "
                    + "U+FFFD; rename it"
            ),
            (
                ["run", "--database", "a\u{fffd}", "true"],
                "--database: \"a\u{fffd}\" cannot be opened: names have to be UTF-8, without "
                    + "U+FFFD; rename it"
            ),
            (["run", "--children"], "COMMAND is missing"),
            (["covered"], "PID|SERVICE is missing"),
            (["run", "--setting", "KEY", "x"], "--setting takes KEY=VALUE, not \"KEY\""),
            (["run", "-s", "a key=1", "x"], "--setting takes KEY=VALUE, not \"a key=1\""),
            (["convert", "a"], "-o, --output FILE is missing"),
            (["convert", "-o", "b"], "INPUT is missing"),
            (["convert", "a", "-o"], "--output needs a value: -o, --output FILE"),
            (["show", "--raw", "--no-symbols", "a"], "--raw and --no-symbols cannot be combined"),
            (["show", "--json", "--html", "x", "a"], "--json and --html cannot be combined"),
            (["show", "--raw", "--json", "a"], "--raw and --json cannot be combined"),
            (
                ["show", "--all-threads", "--thread", "1", "a"],
                "--thread and --all-threads cannot be combined"
            ),
            (
                ["show", "--color", "pink", "a"],
                "--color takes auto, always or never, not \"pink\""
            ),
            (["completion", "ksh"], "SHELL takes bash, zsh or fish, not \"ksh\""),
            (["completion"], "SHELL is missing"),
            (["man", "shew"], "there is no command \"shew\""),
            (["show"], "REPORT is missing, and there is no database to take the latest one from"),
            (
                ["fleet"],
                "the service has no database here: name one with --database or EPITAPH_DATABASE"
            ),
            (
                ["upload", "--database", "a"],
                "--url DESTINATION is missing (or set EPITAPH_UPLOAD_URL)"
            ),
        ] as [([String], String)])
    func sentence(arguments: [String], expected: String) throws {
        let result = try dumpConvert(arguments, on: machineWithoutDatabases)
        #expect(result.ending == .exited(2))
        #expect(result.standardOutput == "")
        let command = arguments.first ?? ""
        let isCommand = HelpTests.commands.contains(command)
        #expect(
            result.standardError
                == "dump-convert: \(isCommand ? "\(command): " : "")\(expected); "
                + "see \"dump-convert \(isCommand ? "\(command) " : "")--help\"\n")
    }

    @Test("cannot drive the terminal that shows the sentence")
    func escapes() throws {
        let result = try dumpConvert("\u{1b}[2J")
        #expect(result.standardError.contains("\"\\u{1b}[2J\""))
        #expect(!result.standardError.contains("\u{1b}"))
    }

    @Test("A word behind -- is no option, and -ofile is -o file")
    func conventions() throws {
        let directory = try TemporaryDirectory()
        let result = try dumpConvert("convert", "-o\(directory.path("out"))", "--", "--no-such")
        result.expectFailure(3, saying: "--no-such")
    }

    @Test("An empty environment variable is none")
    func emptyVariable() throws {
        let result = try dumpConvert(
            ["list"], environment: ["EPITAPH_DATABASE": ""], on: machineWithoutDatabases)
        #expect(result.ending == .exited(2))
    }
}
