// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// Where libepitaph-preload.so takes its settings from, and what it leaves of them.
@Suite struct PreloadSettingsTests {
    typealias Guest = PreloadTests.Guest

    private func environment(_ output: String) -> [String] {
        output.split(separator: "\n").map(String.init).filter {
            $0.contains("EPITAPH") || $0.contains("LD_PRELOAD") || $0.contains("STATE_DIRECTORY")
        }
    }

    @Test("It takes itself and its settings out of the environment, and nothing else")
    func leaves() throws {
        let guest = try Guest()
        let other = "/lib/\(try multiarch())/libm.so.6"
        let own = guest.library.preload
        for (preload, left) in [
            (own, nil), ("\(own):\(other)", other), ("\(other) \(own)", other),
            (":\(other):\(own):", other),
        ] as [(String, String?)] {
            let settings = [
                "EPITAPH_BUNDLE_ID": "x", "STATE_DIRECTORY": "/a:\(guest.database):/b",
                "EPITAPHS": "stay",
            ]
            let result = try guest.run(["environment"], preload: preload, settings)
            var kept = ["STATE_DIRECTORY=/a:/b", "EPITAPHS=stay"]
            if let left { kept.append("LD_PRELOAD=" + left) }
            let expected = kept.flatMap { ["main " + $0, "environ " + $0] }
            #expect(Set(environment(result.standardOutput)) == Set(expected))
            let all = try guest.runWithout(["environment"]).standardOutput
            let rest = result.standardOutput.split(separator: "\n").count - expected.count
            #expect(all.split(separator: "\n").count == rest)
            let executed = try guest.run(
                ["execute", guest.program, "environment"], preload: preload, settings)
            #expect(Set(environment(executed.standardOutput)) == Set(expected))
        }
    }

    private func multiarch() throws -> String {
        try Subprocess.run(["cc", "-print-multiarch"]).standardOutput
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test("What a child executes is covered if asked for, what the process becomes always is")
    func children() throws {
        for (settings, becomes, child) in [
            ([:], 1, 0), (["EPITAPH_CHILDREN": "yes"], 1, 1),
            (["EPITAPH_EXECUTABLE": "unchanged"], 1, 1), (["EPITAPH_EXECUTABLE": "other"], 0, 0),
        ] as [([String: String], Int, Int)] {
            let guest = try Guest()
            let result = try guest.run(["child"], settings)
            #expect(result.standardOutput == "child ended by 11\n")
            let wanted = settings["EPITAPH_EXECUTABLE"] == "other" ? 0 : 1
            #expect(guest.dumps().count == wanted)
            // Through a shell, which is another program.
            for (script, count) in [("exec \"$0\" fault", becomes), ("\"$0\" fault; true", child)] {
                let shell = try Guest()
                let variables = settings.merging([
                    "LD_PRELOAD": shell.library.preload, "EPITAPH_DATABASE": shell.database,
                ]) { $1 }
                _ = try Subprocess.run(
                    ["sh", "-c", script, shell.program], environment: variables)
                #expect(shell.dumps().count == count, "\(settings) \(script)")
            }
        }
    }

    @Test(
        "Whatever function makes the process another program, that one is covered, and sees nothing",
        arguments: [
            "execl", "execle", "execlp", "execv", "execve", "execveat", "execvp", "execvpe",
            "fexecve",
        ])
    func becomes(way: String) throws {
        let guest = try Guest()
        let words = ["execute-by", way, guest.program]
        let result = try guest.run(words + ["fault"], ["EPITAPH_BUNDLE_ID": "kept"])
        #expect(result.ending == .signalled(SIGSEGV))
        #expect(result.standardError == "")
        #expect(guest.dumps().map { $0.prefix(5) } == ["kept@"])
        let seen = try guest.run(words + ["environment"])
        let expected = try guest.runWithout(words + ["environment"])
        #expect(seen.standardOutput == expected.standardOutput)
    }

    @Test("A child of vfork that becomes another program is a child")
    func vforked() throws {
        let guest = try Guest()
        let result = try guest.run(["execute-by", "vfork", guest.program, "fault"])
        #expect(result.standardOutput == "child ended by 11\n")
        #expect(guest.dumps().isEmpty)
    }

    @Test("A program that another dynamic linker starts is as without the library")
    func otherLinker() throws {
        let guest = try Guest()
        let source = Products.packageRoot + "/Tests/LinkedPrograms/unchanged.c"
        var compilers = [["cc", "-static"]]
        if InstalledLibrary.hasMusl { compilers.append(try InstalledLibrary.musl.get().compiler) }
        for compiler in compilers {
            let other = guest.directory.path("other")
            try InstalledLibrary.run(compiler + ["-D_GNU_SOURCE", source, "-o", other])
            for words in [["environment"], ["fault"]] {
                let without = try guest.runWithout(["execute", other] + words)
                let with = try guest.run(["execute", other] + words)
                #expect(with.ending == without.ending)
                #expect(with.standardOutput == without.standardOutput)
                #expect(with.standardError == without.standardError)
            }
        }
    }

    @Test("A program is meant by the name of a link to it, and by its file's")
    func linkedName() throws {
        let guest = try Guest(name: "unchanged-3.11")
        for (name, count) in [("unchanged-3", 1), ("unchanged-3.11", 2), ("unchanged", 2)] {
            let link = guest.directory.path("unchanged-3")
            try? FileManager.default.createSymbolicLink(
                atPath: link, withDestinationPath: "unchanged-3.11")
            let variables = [
                "LD_PRELOAD": guest.library.preload, "EPITAPH_DATABASE": guest.database,
                "EPITAPH_EXECUTABLE": name,
            ]
            _ = try Subprocess.run([link, "fault"], environment: variables)
            #expect(guest.dumps().count == count, "\(name)")
        }
    }

    @Test("A variable overrides the program's file, and that one the file for all programs")
    func order() throws {
        let folder = try TemporaryDirectory()
        let name = "order-\(getpid())"
        let guest = try Guest(name: name)
        let configuration = guest.library.prefix + "/etc/epitaph"
        try FileManager.default.createDirectory(
            atPath: configuration, withIntermediateDirectories: true)
        let own = configuration + "/\(name).conf"
        defer { try? FileManager.default.removeItem(atPath: own) }
        let text =
            "# for this program\nbundle_id = from-file\n database = \"\(folder.path("file"))\" \n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: own))
        let variables = ["LD_PRELOAD": guest.library.preload]
        _ = try Subprocess.run([guest.program, "fault"], environment: variables)
        #expect(guest.dumps(in: folder.path("file")).map { $0.prefix(10) } == ["from-file@"])
        _ = try guest.run(["fault"], ["EPITAPH_BUNDLE_ID": "from-variable"])
        #expect(guest.dumps().map { $0.prefix(14) } == ["from-variable@"])
        let chosen = try folder.write(Array("bundle_id = chosen\n".utf8), to: "chosen.conf")
        let database = folder.path("third")
        _ = try guest.run(
            ["fault"], ["EPITAPH_CONFIG": chosen, "EPITAPH_DATABASE": database])
        #expect(guest.dumps(in: database).map { $0.prefix(7) } == ["chosen@"])
        let disabled = try guest.run(
            ["fault"], ["EPITAPH_ENABLED": "no", "EPITAPH_DATABASE": folder.path("none")])
        #expect(disabled.ending == .signalled(SIGSEGV))
        #expect(!FileManager.default.fileExists(atPath: folder.path("none")))
    }

    @Test("Without settings reports go to a directory of the program's name")
    func defaults() throws {
        let guest = try Guest(name: "de+faults-\(getpid())")
        // The directory below that one is made by the library.
        try FileManager.default.createDirectory(
            atPath: guest.library.prefix + "/var/lib", withIntermediateDirectories: true)
        _ = try Subprocess.run(
            [guest.program, "fault"], environment: ["LD_PRELOAD": guest.library.preload])
        let database = guest.library.prefix + "/var/lib/epitaph/de_faults-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: database) }
        #expect(guest.dumps(in: database).count == 1)
    }

    @Test("What cannot be used is said once, with file and line, and the rest counts")
    func problems() throws {
        let guest = try Guest()
        let lines = [
            "colour = red", "max_pending_dumps = 0", "crashing_stack = 3 bytes", "signals = SIGFOO",
            "no sign", "command_line = yes", "command_line = no", "uploads = yes",
            "crash_file_mode = 0777", "annotation. = x", "annotation.rack = 12", "database =",
            "crash_directory = here", "stop_timeout_ms = 99999999999999999999",
            "all_stacks = 1 PiB",
        ]
        let file = try guest.directory.write(
            Array(lines.joined(separator: "\n").utf8), to: "a.conf")
        let result = try guest.run(
            ["fault"], ["EPITAPH_CONFIG": file, "EPITAPH_LAST_LINES": "maybe"])
        #expect(result.ending == .signalled(SIGSEGV))
        let expected = [
            (
                1,
                "there is no key \"colour\"; docs/configuration.md and docs/preload.md list them all"
            ),
            (2, "max_pending_dumps is a whole number from 1 to 100000"),
            (3, "crashing_stack is a size from 4 KiB to 1 GiB"),
            (4, "signals is default, or names such as SIGSEGV with blanks between them"),
            (5, "a line is written key = value"),
            (7, "command_line was given in line 6 already; the last one counts"),
            (9, "crash_file_mode is 0600 or 0640"), (10, "an annotation's name has 1 to 255 bytes"),
            (12, "database is the path of a directory"),
            (13, "crash_directory is the absolute path of a directory, or none"),
            (14, "stop_timeout_ms is a whole number from 1 to 60000"),
            (15, "all_stacks is a size from 4 KiB to 4 GiB"),
        ].map { "epitaph: \(file), line \($0.0): \($0.1)" }
        #expect(
            result.standardError.split(separator: "\n").map(String.init)
                == expected + ["epitaph: EPITAPH_LAST_LINES: last_lines is yes or no"])
        #expect(try guest.snapshot().annotations.contains { $0.name == "rack" })
    }

    @Test("A file full of problems is said in few lines, and one that is no file in one")
    func hostileFiles() throws {
        let guest = try Guest()
        let many = try guest.directory.write(
            Array(String(repeating: "wrong\n", count: 1000).utf8), to: "many")
        let lines = try guest.run(["exit"], ["EPITAPH_CONFIG": many]).standardError
        #expect(lines.split(separator: "\n").count == 21)
        #expect(lines.hasSuffix("epitaph: there are 980 more problems like these\n"))
        let large = try guest.directory.write(
            [UInt8](repeating: 0x23, count: (1 << 20) + 1), to: "large")
        let pipe = guest.directory.path("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        for (path, words) in [
            (large, "it is larger than 1 MiB, and is not read"),
            (pipe, "it is not a regular file, and is not read"),
            (guest.directory.path(""), "it is not a regular file, and is not read"),
            (guest.directory.path("none"), "it cannot be read: No such file or directory"),
        ] {
            let result = try guest.run(["exit"], ["EPITAPH_CONFIG": path])
            #expect(result.standardError == "epitaph: \(path): \(words)\n")
            #expect(result.ending == .exited(5))
        }
    }

    @Test("A directory that cannot be used costs one line, and the program runs on untouched")
    func directory() throws {
        let guest = try Guest()
        let result = try guest.run(["handler"], ["EPITAPH_DATABASE": "/proc/none/db"])
        #expect(result.ending == .signalled(SIGSEGV))
        #expect(result.standardOutput == "handler\n")
        #expect(
            result.standardError.hasPrefix("epitaph: crashes are not recorded: cannot open"))
        #expect(result.standardError.split(separator: "\n").count == 1)
    }

    @Test("Every key of docs/configuration.md is known to it")
    func keys() throws {
        let page = try String(
            contentsOfFile: Products.packageRoot + "/docs/configuration.md", encoding: .utf8)
        let rows = page.split(separator: "\n").compactMap { line -> String? in
            let cells = line.split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count >= 3, cells[0].hasPrefix("`"), cells[0].hasSuffix("`") else {
                return nil
            }
            let key = String(cells[0].dropFirst().dropLast())
            return key.contains(" ") || key.contains("_ ") ? nil : "\(key) = \(value(of: cells))"
        }
        #expect(rows.count > 50)
        let guest = try Guest()
        let file = try guest.directory.write(
            Array((rows.joined(separator: "\n") + "\n").utf8), to: "all.conf")
        let result = try guest.run(["exit"], ["EPITAPH_CONFIG": file])
        #expect(result.standardError == "")
    }

    static let hasSystemd = Toolchain.executable("systemd-analyze") != nil

    @Test(
        "systemd accepts the drop-in", .enabled(if: hasSystemd, "systemd-analyze is missing"),
        arguments: ["", "Colour=red\n"])
    func systemd(mistake: String) throws {
        let folder = try TemporaryDirectory()
        let unit = try folder.write(
            Array("[Service]\nExecStart=/bin/true\n".utf8), to: "epitaph-lab.service")
        let library = try InstalledLibrary.glibc.get()
        let text = try String(
            contentsOfFile: library.prefix + "/share/epitaph/epitaph-preload.conf", encoding: .utf8)
        #expect(text.contains("LD_PRELOAD=\(library.preload)\n"))
        try FileManager.default.createDirectory(
            atPath: unit + ".d", withIntermediateDirectories: false)
        try Data((text + mistake).utf8).write(to: URL(fileURLWithPath: unit + ".d/epitaph.conf"))
        let result = try Subprocess.run(["systemd-analyze", "verify", "--man=no", unit])
        // Unknown keys are only warned of.
        #expect(result.ending == .exited(0))
        #expect(result.standardError.contains("epitaph.conf") == !mistake.isEmpty)
    }

    /// The default, or something that is allowed where there is none.
    private func value(of cells: [String]) -> String {
        if cells[0] == "`database`" { return "/tmp" }
        return cells.count > 3 && !cells[2].isEmpty ? cells[2] : "x"
    }
}
