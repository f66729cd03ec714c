// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("dump-convert show")
struct ShowTests {
    @Test("An intermediate dump is explained from the reason down to the modules")
    func intermediateDump() throws {
        let result = try dumpConvert("show", Sample.dumpPath)
        #expect(result.ending == .exited(0))
        #expect(result.standardError == "")
        let lines = result.standardOutput.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasPrefix("orderd ") == true)
        for expected in [
            "  Signal      SIGSEGV (SEGV_MAPERR): address not mapped to object",
            "  Address     0x000000000000dead (write)", "  Process     4711, parent 1, user 33",
            "Message from swift:", "Crashing thread 4712 \"worker\":", "  prod = orderd",
            "Damage: what this report lacks, and why", "Registers of thread 4712:", "Modules:",
        ] {
            #expect(lines.contains(expected), "\(expected)")
        }
        #expect(lines.contains("2 other threads, not shown:"))
    }

    @Test("A minidump is explained like the dump it was made from")
    func minidump() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(Sample.minidump(), to: "x.dmp")
        let result = try dumpConvert("show", path)
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput.hasPrefix("served "))
        #expect(
            result.standardOutput.contains(
                "\n  Signal      SIGSEGV (SEGV_MAPERR): address not mapped to object\n"))
        #expect(result.standardOutput.contains("  ver = 1.2.3\n"))
        #expect(result.standardOutput.contains("\n  #0  ?? in served+0x401234\n"))
    }

    @Test("--raw prints the key tree of an intermediate dump", arguments: ["x86_64", "aarch64"])
    func rawDump(architecture: String) throws {
        let fixture = Products.fixture("intermediate-dumps/sample-\(architecture)")
        let result = try dumpConvert("show", "--raw", fixture + ".dump")
        #expect(result.ending == .exited(0))
        #expect(
            try result.standardOutput == String(contentsOfFile: fixture + ".txt", encoding: .utf8))
    }

    @Test("--raw prints the streams of a minidump")
    func rawMinidump() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(Sample.minidump(), to: "x.dmp")
        let result = try dumpConvert("show", "--raw", path)
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput.hasPrefix("minidump, "))
        #expect(result.standardOutput.contains(/\n  ThreadList +52 bytes\n/))
        #expect(result.standardOutput.contains(/\n  Exception +168 bytes\n/))
    }

    @Test(
        "A file that cannot be shown is answered with a sentence that names it",
        arguments: [
            ("missing", 3, "No such file"), ("directory", 3, "Is a directory"),
            ("empty", 1, "The file is empty"), ("garbage", 1, "an intermediate dump"),
            ("short.dmp", 1, "ends inside the header"),
        ])
    func unusable(name: String, status: Int32, reason: String) throws {
        let directory = try TemporaryDirectory()
        try directory.write([], to: "empty")
        try directory.write(Array("garbage".utf8), to: "garbage")
        try directory.write(Array("MDMP".utf8), to: "short.dmp")
        try directory.makeDirectory("directory")
        for arguments in [["show"], ["show", "--raw"], ["convert", "-o", directory.path("out")]] {
            guard arguments[0] == "show" || name != "short.dmp" else { continue }
            let result = try dumpConvert(arguments + [directory.path(name)])
            #expect(result.ending == .exited(status))
            #expect(result.standardOutput == "")
            #expect(result.standardError.contains(directory.path(name)))
            #expect(result.standardError.contains(reason))
            #expect(result.standardError.split(separator: "\n").count == 1)
        }
        #expect(!FileManager.default.fileExists(atPath: directory.path("out")))
    }

    @Test("A dump cut anywhere is shown as far as it goes, or refused with a sentence")
    func cutDump() throws {
        let whole = try Sample.dump()
        let directory = try TemporaryDirectory()
        for count in stride(from: 1, to: whole.count, by: 97) {
            let path = try directory.write(Array(whole.prefix(count)), to: "cut")
            let result = try dumpConvert("show", path)
            switch result.exitStatus {
            case 0: #expect(result.standardOutput.contains("\nDamage: "), "cut at \(count)")
            case 1: #expect(result.standardError.contains(path), "cut at \(count)")
            default: Issue.record("cut at \(count): \(result.ending)")
            }
        }
    }

    @Test(
        "Flipped bits never end show with a signal, and are never answered without a word",
        arguments: ["dump", "minidump"])
    func flippedBits(kind: String) throws {
        let whole = try kind == "dump" ? Sample.dump() : Sample.minidump()
        let directory = try TemporaryDirectory()
        for place in stride(from: 0, to: whole.count, by: whole.count / 40) {
            var bytes = whole
            bytes[place] ^= 1 << UInt8(place % 8)
            let path = try directory.write(bytes, to: "flipped")
            let result = try dumpConvert("show", path)
            switch result.exitStatus {
            case 0: #expect(result.standardOutput.contains("\nModules:"), "byte \(place)")
            case 1: #expect(result.standardError.contains(path), "byte \(place)")
            default: Issue.record("byte \(place): \(result.ending)")
            }
        }
    }

    @Test("A dump's names cannot drive the terminal", arguments: [["show"], ["show", "--raw"]])
    func escapes(arguments: [String]) throws {
        var bytes = try Sample.dump()
        let name = Array("worker".utf8)
        let place = try #require(
            bytes.indices.first { bytes[$0...].starts(with: name) })
        bytes.replaceSubrange(place..<place + name.count, with: "\u{1b}[2J\u{7}x".utf8)
        let directory = try TemporaryDirectory()
        let result = try dumpConvert(arguments + [directory.write(bytes, to: "evil")])
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput.contains("\"\\u{1b}[2J\\u{7}x\""))
        #expect(!result.standardOutput.contains("\u{1b}"))
    }

    @Test("A directory of symbols that is not there is an error")
    func missingSymbols() throws {
        let result = try dumpConvert("show", "--symbols", "/no/such", Sample.dumpPath)
        #expect(result.ending == .exited(3))
        #expect(
            result.standardError
                == "dump-convert: cannot look for symbols in /no/such: No such file or directory\n")
    }
}
