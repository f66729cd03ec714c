// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Glibc
import Testing

@Suite("The source lines dump-convert show puts beside frames")
struct ShowSourceTests {
    let directory: TemporaryDirectory
    /// The source of the program that crashed.
    let source: String
    let minidump: String

    init() throws {
        directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(["-O0", "-g"], in: directory)
        source = directory.path("crash.c")
        let crash = try DebuggedProgram(running: [program, "recursion"], in: directory)
        minidump = try directory.write(Sample.minidump(crash.snapshot), to: "crash.dmp")
        // As where the sources of an installed program lie.
        try setTime(of: source, secondsAgo: 60)
    }

    private let shownLine = #/\n +=> 6 │ static KEEP void touch\(int value\) \{ \*nowhere = value;/#

    @Test("are three, the one at fault marked, below frames of the program's own code")
    func shown() throws {
        let text = try show()
        #expect(text.contains(shownLine))
        #expect(text.contains(#/\n +5 │ volatile int zero; int \*volatile nowhere;/#))
        #expect(text.contains(#/\n +7 │ static KEEP int recursion\(int depth\) \{\n/#))
        #expect(try show("--html", "-").contains("<span class=\"line here\">6 │ static KEEP"))
        #expect(try show("--json").contains("KEEP") == false)
    }

    @Test("are not there when nobody wants them")
    func unwanted() throws {
        #expect(!(try show("--no-source").contains("KEEP")))
        #expect(!(try show("--no-source", "--html", "-").contains("KEEP")))
    }

    @Test("are not taken from a file that is newer than the program")
    func newer() throws {
        try setTime(of: source, secondsAgo: -60)
        #expect(!(try show().contains("KEEP")))
    }

    @Test("are not taken from a file that others may not read and the program's owner does not own")
    func secret() throws {
        try #require(chown(directory.path("crash"), 65_534, 65_534) == 0 || geteuid() != 0)
        try #require(chmod(source, 0o600) == 0)
        // Whoever is not root cannot make the two owners differ; then the lines are its own.
        #expect(try show().contains("KEEP") == (geteuid() != 0))
        try #require(chmod(source, 0o604) == 0)
        // Nor may that owner look into the directory.
        #expect(try show().contains("KEEP") == (geteuid() != 0))
        try #require(chmod(directory.path, 0o711) == 0)
        #expect(try show().contains(shownLine))
    }

    @Test(
        "are not root's secrets because a user's report or debug information names them",
        .enabled(if: OtherUser.canBeHad, "\(OtherUser.comment)"))
    func attack() throws {
        try #require(chmod(directory.path, 0o711) == 0)
        try #require(chmod(source, 0o600) == 0)
        #expect(try show().contains(shownLine))
        // Root's program and source, and a report that a user made up.
        try OtherUser.own(minidump)
        #expect(!(try show().contains("KEEP")))
        #expect(!(try show("--html", "-").contains("KEEP")))
        try #require(chown(minidump, 0, 0) == 0)
        // Debug information that somebody brought, of a program that root installed.
        try #require(chmod(directory.path("crash"), 0o111) == 0)
        let program = directory.path("crash")
        let brought = directory.path("symbols")
        let split = try Subprocess.run([
            "sh", "-c",
            "mkdir $1 && objcopy --only-keep-debug $0 $1/crash.debug && strip --strip-debug $0",
            program, brought,
        ])
        try #require(split.ending == .exited(0), "\(split.standardError)")
        #expect(try show("--symbols", brought).contains("crash.c"))
        #expect(!(try show("--symbols", brought).contains("KEEP")))
        try #require(chmod(source, 0o604) == 0)
        try setTime(of: source, secondsAgo: 60)
        #expect(try show("--symbols", brought).contains(shownLine))
    }

    @Test("are not read from a pipe, a link, a file without text or one that is huge")
    func hostile() throws {
        let text = try Data(contentsOf: URL(fileURLWithPath: source))
        try #require(unlink(source) == 0)
        try #require(mkfifo(source, 0o644) == 0)
        #expect(!(try show().contains(" │ ")))
        try #require(unlink(source) == 0)
        let other = try directory.write(Array(text), to: "other.c")
        try #require(symlink(other, source) == 0)
        #expect(!(try show().contains(" │ ")))
        try #require(unlink(source) == 0)
        for contents in [
            text + Data([0]), text + Data(repeating: 0x20, count: 4 << 20),
            Data(text.prefix(40)),
        ] {
            try contents.write(to: URL(fileURLWithPath: source))
            try setTime(of: source, secondsAgo: 60)
            #expect(!(try show().contains(" │ ")))
        }
        let wide = String(decoding: text, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        let lines = wide[..<5] + ["\t" + String(repeating: "x", count: 10_000)] + wide[6...]
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: source))
        try setTime(of: source, secondsAgo: 60)
        #expect(try show().contains(#/=> 6 │     x{196}…\n/#))
    }

    private func setTime(of path: String, secondsAgo: Double) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: (Timestamp.now.adding(seconds: -secondsAgo)).date],
            ofItemAtPath: path)
    }

    private func show(_ options: String...) throws -> String {
        try dumpConvertOutput(["show"] + options + [minidump])
    }
}

@Suite("The names dump-convert show gives functions")
struct ShowNamesTests {
    @Test("are those their authors wrote; --full-names shows all of them, a page as titles")
    func swift() throws {
        let directory = try TemporaryDirectory()
        let database = directory.path("db")
        _ = try Victim.swift.run([database, "fatal-error"])
        try dumpConvertOutput("process", "--database", database)
        func stack(_ options: String...) throws -> String {
            let result = try dumpConvert(["show", "--database", database] + options)
            #expect(result.ending == .exited(0))
            return result.standardOutput.split(separator: "\n")
                .filter { $0.hasPrefix("  #") }.joined(separator: "\n")
        }
        let short = try stack()
        #expect(short.contains(#/#\d+ +crashFatalError\(/#))
        #expect(!short.contains("EpitaphVictim.crashFatalError"))
        #expect(try stack("--full-names").contains("EpitaphVictim.crashFatalError("))
        let page = try dumpConvert("show", "--database", database, "--html", "-").standardOutput
        #expect(page.contains(#/<code title="EpitaphVictim\.crashFatalError\([^"]*">crashFatal/#))
    }
}
