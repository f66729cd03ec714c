// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// Each shell itself is asked what it would offer.
@Suite("dump-convert completion")
struct CompletionTests {
    struct Line: Sendable, CustomTestStringConvertible {
        /// What follows the program's name; the last word is being completed.
        let words: [String]
        let expected: [String]
        var unexpected: [String] = []
        var testDescription: String { words.joined(separator: " ") }
    }

    private static let id = "11111111-2222-4333-8444-555555555555"

    static let lines = [
        Line(
            words: [""], expected: ["process", "list", "show", "upload", "convert", "man"],
            unexpected: ["--database", "latest"]),
        Line(words: ["sh"], expected: ["show"], unexpected: ["list"]),
        Line(
            words: ["show", "--s"], expected: ["--symbols"],
            unexpected: ["--since", "--raw", "show"]),
        Line(words: ["list", "--s"], expected: ["--since", "--symbols"]),
        Line(words: ["show", "--color", ""], expected: ["auto", "always", "never"]),
        Line(words: ["show", "--color", "al"], expected: ["always"], unexpected: ["auto"]),
        Line(words: ["show", "la"], expected: ["latest"], unexpected: ["list"]),
        Line(words: ["show", "--no-symbols", "1111"], expected: [id]),
        Line(words: ["completion", ""], expected: ["bash", "zsh", "fish"]),
        Line(words: ["man", "u"], expected: ["upload"], unexpected: ["show"]),
    ]

    private func script(for shell: String, in directory: TemporaryDirectory) throws -> String {
        let result = try dumpConvert("completion", shell)
        #expect(result.ending == .exited(0))
        #expect(result.standardError == "")
        return try directory.write(Array(result.standardOutput.utf8), to: "completion")
    }

    private func database() throws -> SampleDatabase {
        let sample = try SampleDatabase()
        try sample.file(Sample.minidump(), id: Self.id)
        return sample
    }

    private func check(_ offered: [String], _ line: Line) {
        for word in line.expected { #expect(offered.contains(word), "\(offered)") }
        for word in line.unexpected { #expect(!offered.contains(word), "\(offered)") }
    }

    /// What bash's function answers for the words of a line.
    private func bash(_ words: [String], database: String, in place: String) throws -> [String] {
        let directory = try TemporaryDirectory()
        let driver = """
            source "$1" || exit 9
            cd "$2"
            complete -p dump-convert | grep -qx 'complete -F _dump_convert dump-convert' || exit 8
            complete -p epitaph | grep -qx 'complete -F _dump_convert epitaph' || exit 9
            shift 2
            COMP_WORDS=(dump-convert "$@")
            COMP_CWORD=$#
            _dump_convert
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let result = try Subprocess.run(
            [
                "bash", "--norc", "-u", "-c", driver, "bash",
                try script(for: "bash", in: directory), place,
            ] + words, environment: ["EPITAPH_DATABASE": database])
        #expect(result.ending == .exited(0), "\(result.standardError)")
        #expect(result.standardError == "")
        return result.standardOutput.split(separator: "\n").map(String.init)
    }

    @Test("bash offers what fits", arguments: lines)
    func bash(line: Line) throws {
        let sample = try database()
        check(try bash(line.words, database: sample.path, in: "/"), line)
    }

    @Test("bash completes values behind an equals sign, files, and reports of a named database")
    func bashWords() throws {
        let sample = try database()
        let directory = try TemporaryDirectory()
        try directory.write([], to: "a b.dmp")
        try directory.makeDirectory("a dir")
        func offered(_ words: String...) throws -> [String] {
            try bash(words, database: "", in: directory.path)
        }
        #expect(try offered("show", "--color", "=", "n") == ["never"])
        #expect(try offered("show", "--color", "=").count == 3)
        #expect(try offered("show", "a") == ["a b.dmp", "a dir"])
        #expect(try offered("show", "--symbols", "a") == ["a dir"])
        #expect(try offered("show", "--database", sample.path, "1") == [Self.id])
        #expect(try offered("show", "--database", "=", sample.path, "1") == [Self.id])
        #expect(try offered("show", "--thread", "") == [])
    }

    @Test("bash completes a line that is typed at a prompt")
    func bashPrompt() throws {
        let directory = try TemporaryDirectory()
        let path = try script(for: "bash", in: directory)
        // Readline answers the first key that leaves one way open with the rest of the word.
        let driver = """
            import os, pty, select, sys, time
            child, master = pty.fork()
            if child == 0:
                os.environ.update(PS1="% ", TERM="dumb", INPUTRC="/dev/null")
                os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
            def until(text):
                seen, end = b"", time.monotonic() + 20
                while text not in seen and time.monotonic() < end:
                    if select.select([master], [], [], 0.1)[0]:
                        seen += os.read(master, 65536)
                return seen
            os.write(master, ("source '%s'; PS1='REA''DY> '\\n" % sys.argv[1]).encode())
            # At its prompt the shell takes keys one by one.
            until(b"READY> ")
            os.write(master, b"dump-convert sho\\t--col\\talw\\t")
            print(b"dump-convert show --color always" in until(b"--color always"))
            os.kill(child, 9)
            os.waitpid(child, 0)
            """
        let script = try directory.write(Array(driver.utf8), to: "driver.py")
        #expect(try Subprocess.run(["python3", script, path]).standardOutput == "True\n")
    }

    @Test("fish offers what fits", arguments: lines)
    func fish(line: Line) throws {
        let sample = try database()
        let directory = try TemporaryDirectory()
        let path = try script(for: "fish", in: directory)
        let result = try Subprocess.run(
            [
                "fish", "--no-config", "-c", "source $argv[1]; cd /; complete -C \"$argv[2]\"",
                path, (["dump-convert"] + line.words).joined(separator: " "),
            ], environment: ["EPITAPH_DATABASE": sample.path, "HOME": directory.path])
        #expect(result.ending == .exited(0), "\(result.standardError)")
        let offered = result.standardOutput.split(separator: "\n").map { line in
            String(line.split(separator: "\t")[0])
        }
        check(offered, line)
    }

    /// A zsh in a terminal of its own lists what it would offer at once; the
    /// line is thrown away then, and the next command tells where the answer ends.
    private static let zshDriver = """
        import os, pty, select, sys, time
        child, master = pty.fork()
        if child == 0:
            os.environ.update(PS1="% ", TERM="dumb", LISTMAX="10000")
            os.execvp("zsh", ["zsh", "-f", "-i"])
        # Before its prompt stands there the shell does not take keys one by one.
        def until(text):
            seen, end = b"", time.monotonic() + 30
            while time.monotonic() < end:
                if 0 <= seen.find(text) < seen.rfind(b"READY> "): break
                if select.select([master], [], [], 0.1)[0]:
                    seen += os.read(master, 65536)
            return seen
        # Keys that wait already would make zsh insert a tab instead of completing.
        settings = "zstyle ':completion:*' insert-tab false; unsetopt list_ambiguous"
        os.write(master, b"autoload -Uz compinit && compinit -u -D; %s; source '%s'; cd /\\n"
            % (settings.encode(), sys.argv[1].encode()))
        os.write(master, b"PS1='REA''DY> '; echo E''ND\\n")
        until(b"END\\r\\n")
        for line in sys.argv[2:]:
            os.write(master, line.encode() + b"\\t\\x15echo E''ND\\n")
            sys.stdout.buffer.write(until(b"END\\r\\n") + b"\\n=====\\n")
        os.kill(child, 9)
        os.waitpid(child, 0)
        """

    @Test("zsh offers what fits")
    func zsh() throws {
        let sample = try database()
        let directory = try TemporaryDirectory()
        let path = try script(for: "zsh", in: directory)
        #expect(try Subprocess.run(["zsh", "-f", "-n", path]).standardError == "")
        let driver = try directory.write(Array(Self.zshDriver.utf8), to: "driver.py")
        let typed = Self.lines.map { (["dump-convert"] + $0.words).joined(separator: " ") }
        let result = try Subprocess.run(
            ["python3", driver, path] + typed,
            environment: ["EPITAPH_DATABASE": sample.path, "HOME": directory.path])
        #expect(result.ending == .exited(0), "\(result.standardError)")
        let answers = result.standardOutput.split(separator: "=====")
        for (line, answer) in zip(Self.lines, answers) {
            var line = line
            // What was typed is on the screen, too.
            line.unexpected.removeAll { line.words.contains($0) }
            check(answer.split { $0.isWhitespace || $0 == "=" }.map(String.init), line)
        }
        #expect(answers.count > Self.lines.count)
    }
}
