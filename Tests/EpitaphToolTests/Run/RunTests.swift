// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// With a library that does nothing; CEpitaphTests has the real one.
@Suite("dump-convert run")
struct RunTests {
    private struct Lab {
        let directory: TemporaryDirectory
        let library: String

        init() throws {
            directory = try TemporaryDirectory()
            library = directory.path("libnothing.so")
            try Self.compile(["-shared", "-fPIC"], "int nothing;", to: library)
        }

        static func compile(_ flags: [String], _ source: String, to path: String) throws {
            let file = path + ".c"
            try Data(source.utf8).write(to: URL(fileURLWithPath: file))
            try runTool(["cc"] + flags + [file, "-o", path])
        }

        func run(_ words: [String], _ environment: [String: String] = [:]) throws -> Subprocess {
            try dumpConvert(["run", "--library", library] + words, environment: environment)
        }
    }

    @Test("COMMAND gets the library in front of others, and the settings as variables")
    func variables() throws {
        let lab = try Lab()
        let math = "libm.so.6"
        let result = try lab.run(
            [
                "--database", "/a/db", "--crash-directory", "/b", "--bundle-id", "id",
                "--executable", "name", "--children", "-s", "command_line=yes",
                "--setting=annotation.Rack=1=2", "--", "/usr/bin/env",
            ], ["LD_PRELOAD": math])
        #expect(result.ending == .exited(0))
        #expect(result.standardError == "")
        let lines = result.standardOutput.split(separator: "\n").filter {
            $0.hasPrefix("EPITAPH_") || $0.hasPrefix("LD_PRELOAD")
        }
        #expect(
            Set(lines.map(String.init)).isSuperset(of: [
                "LD_PRELOAD=\(lab.library):\(math)", "EPITAPH_DATABASE=/a/db",
                "EPITAPH_CRASH_DIRECTORY=/b", "EPITAPH_BUNDLE_ID=id", "EPITAPH_EXECUTABLE=name",
                "EPITAPH_CHILDREN=yes", "EPITAPH_COMMAND_LINE=yes", "EPITAPH_ANNOTATION_Rack=1=2",
            ]))
    }

    @Test("Sampled allocations bring the library that samples, from beside the other")
    func heapSampling() throws {
        let lab = try Lab()
        let words = ["--setting", "heap_sampling=1/100", "--", "/usr/bin/env"]
        let alone = try lab.run(words)
        #expect(alone.ending != .exited(0))
        #expect(alone.standardError.contains("heap_sampling needs libepitaph-heap.so beside"))

        let heap = lab.directory.path("libepitaph-heap.so")
        try FileManager.default.copyItem(atPath: lab.library, toPath: heap)
        let lines = try lab.run(words).standardOutput.split(separator: "\n")
        #expect(lines.contains("LD_PRELOAD=\(lab.library):\(heap)"))
        #expect(lines.contains("EPITAPH_HEAP_SAMPLING=1/100"))
        let off = try lab.run(["-s", "heap_sampling=no", "--", "/usr/bin/env"]).standardOutput
        #expect(off.contains("LD_PRELOAD=\(lab.library)\n"))
    }

    @Test("A relative path is one of the directory in which it was given")
    func relative() throws {
        let lab = try Lab()
        let script =
            "\(Products.executable("dump-convert")) run --library libnothing.so "
            + "--database db -- /usr/bin/env"
        let result = try Subprocess.run(
            ["sh", "-c", "cd \(lab.directory.path("")) && \(script)"])
        #expect(result.standardOutput.contains("EPITAPH_DATABASE=\(lab.directory.path("db"))\n"))
    }

    @Test("Its arguments, descriptors and ignored signals are what they are without dump-convert")
    func untouched() throws {
        let lab = try Lab()
        // Other descriptors may be those of the tests that run beside this one.
        let look =
            "grep ^Sig[IBC] /proc/self/status; "
            + "for fd in 0 1 2; do test ! -e /proc/$$/fd/$fd || echo $fd; done; "
            + "printf '%s|' \"$@\" | od -c"
        let inner =
            "sh -c '\(look.replacing("'", with: "'\\''"))' sh -x --help \"$(printf 'a\\377b')\" ''"
        let converter = Products.executable("dump-convert")
        for redirection in ["", "<&-", "2>&-"] {
            for trap in ["", "trap '' PIPE HUP; "] {
                let without = try Subprocess.run(["sh", "-c", "\(trap)\(inner) \(redirection)"])
                let with = try Subprocess.run([
                    "sh", "-c",
                    "\(trap)\(converter) run --library \(lab.library) -- \(inner) \(redirection)",
                ])
                #expect(with.standardOutput == without.standardOutput)
                #expect(with.ending == without.ending)
            }
        }
    }

    @Test("It ends as COMMAND ends, or with env(1)'s statuses if that cannot be run")
    func endings() throws {
        let lab = try Lab()
        #expect(try lab.run(["sh", "-c", "exit 3"]).ending == .exited(3))
        #expect(try lab.run(["sh", "-c", "kill -9 $$"]).ending == .signalled(SIGKILL))
        let missing = try lab.run(["no-such-program", "--database"])
        #expect(missing.ending == .exited(127))
        #expect(
            missing.standardError
                == "dump-convert: cannot run no-such-program: No such file or directory\n")
        let file = try lab.directory.write([], to: "plain")
        let refused = try lab.run([file])
        #expect(refused.ending == .exited(126))
        #expect(refused.standardError.hasSuffix(": Permission denied\n"))
    }

    @Test("Without a library that can be loaded nothing is run")
    func library() throws {
        let lab = try Lab()
        let mark = lab.directory.path("mark")
        let text = try lab.directory.write(Array("text".utf8), to: "text.so")
        let blank = lab.directory.path("with blank.so")
        try FileManager.default.copyItem(atPath: lab.library, toPath: blank)
        for (path, words) in [
            ("/nowhere/x.so", "/nowhere/x.so: No such file or directory"),
            (text, "is no ELF file"), (blank, "which LD_PRELOAD cannot"),
        ] {
            let result = try dumpConvert(["run", "--library", path, "touch", mark])
            result.expectFailure(3, saying: words)
        }
        let own = try dumpConvert(["run", "--", "touch", mark])
        // Where Epitaph is installed on this machine, that one is found.
        if own.ending == .exited(3) {
            #expect(own.standardError.contains("there is no libepitaph-preload.so in "))
            #expect(!FileManager.default.fileExists(atPath: mark))
        }
    }

    @Test("A program into which the library is not loaded is run, with a warning")
    func warnings() throws {
        let lab = try Lab()
        let program = lab.directory.path("static")
        try Lab.compile(["-static"], "int main(void) { return 4; }", to: program)
        let result = try lab.run([program])
        #expect(result.ending == .exited(4))
        #expect(
            result.standardError
                == "dump-convert: \(program) is statically linked: it runs without Epitaph, "
                + "and its crashes leave no report\n")
        let script = lab.directory.path("script")
        // Written by a process of its own: a child that another test forks meanwhile would have the
        // open file, too, and execve(2) of it would fail with ETXTBSY.
        try runTool(["sh", "-c", "echo \"#!$1\" >$2; chmod 755 $2", "sh", program, script])
        let interpreted = try lab.run([script])
        interpreted.expectFailure(
            4, saying: "\(script) is a script: unless --executable",
            "\(program) is statically linked")
        let chosen = try lab.run(["--executable", "x", script]).standardError
        #expect(!chosen.contains("is a script"))
    }

    @Test(
        "A set-user-ID program is one of them",
        .enabled(if: geteuid() == 0, "only root can make another user's program"))
    func rights() throws {
        let lab = try Lab()
        let program = lab.directory.path("other")
        try Lab.compile([], "int main(void) { return 4; }", to: program)
        try #require(chown(program, 65_534, 65_534) == 0 && chmod(program, 0o4755) == 0)
        let result = try lab.run([program])
        result.expectFailure(4, saying: "has more rights than the user who runs it")
    }
}
