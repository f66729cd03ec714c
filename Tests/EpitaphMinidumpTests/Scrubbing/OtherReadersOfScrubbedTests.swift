// SPDX-License-Identifier: Apache-2.0

import EpitaphMinidump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("Readers of other people, on scrubbed minidumps")
struct OtherReadersOfScrubbedTests {
    private func scrubbed(_ memory: ScrubbingRules.Memory) throws -> Scrubbed {
        try Scrubbed(PrivateProcess.snapshot) {
            $0.annotations.denied = [KeyPattern("password")]
            $0.memory = memory
            $0.sanitizesStacks = true
            $0.hidesHomeDirectories = true
            $0.removedParts = [.environment, .commandLine, .threadNames]
        }
    }

    private struct Listing: Decodable {
        struct Thread: Decodable {
            var id: UInt64
            var stack: UInt64
        }

        struct Module: Decodable {
            var name: String
            var address: UInt64
        }

        struct Memory: Decodable {
            var address: UInt64
            var bytes: String
        }

        var threads: [Thread]
        var modules: [Module]
        var memory: [Memory]
    }

    private func listing(_ bytes: [UInt8]) throws -> Listing {
        let interpreter = Products.packageRoot + "/.build/python/bin/python"
        try #require(
            FileManager.default.isExecutableFile(atPath: interpreter),
            "\(interpreter) is missing: run Scripts/setup, which makes it")
        let directory = try TemporaryDirectory()
        let path = try directory.write(bytes, to: "scrubbed.dmp")
        let result = try Subprocess.run(
            [interpreter, Products.fixture("python/list_minidump.py"), path], deadlineSeconds: 120)
        try #require(result.ending == .exited(0), "\(result.standardError)")
        return try JSONDecoder().decode(Listing.self, from: Data(result.standardOutput.utf8))
    }

    private func check(_ scrubbed: Scrubbed) throws {
        let listing = try listing(scrubbed.bytes)
        let snapshot = try scrubbed.contents().snapshot
        #expect(listing.threads.map(\.id) == snapshot.threads.map(\.id))
        #expect(listing.modules.map(\.name) == snapshot.modules.map(\.path))
        #expect(listing.modules.map(\.address) == snapshot.modules.map(\.addressRange.lowerBound))
        let regions = snapshot.threads.compactMap(\.stack) + snapshot.memory
        #expect(listing.memory.count <= regions.count)
        for range in listing.memory {
            let region = try #require(regions.first { $0.addressRange.contains(range.address) })
            let start = Int(range.address - region.address)
            let digits = region.bytes.slice(from: start, length: range.bytes.count / 2).array
                .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            #expect(digits.joined() == range.bytes)
        }
    }

    @Test(
        "PyPI's minidump lists the same threads, modules and memory",
        arguments: ScrubbingRules.Memory.allCases.filter { $0 != .none })
    func python(memory: ScrubbingRules.Memory) throws {
        try check(try scrubbed(memory))
    }

    @Test(
        "So it does for what others wrote",
        .enabled(if: ForeignMinidumps.arePresent, Comment(rawValue: ForeignMinidumps.absence)),
        arguments: ForeignMinidumps.names)
    func foreign(name: String) throws {
        let scrubbed = try Scrubbed(try ForeignMinidumps.bytes(name)) {
            $0.memory = .stacks
            $0.sanitizesStacks = true
            $0.annotations.allowed = []
            $0.hidesHomeDirectories = true
        }
        try check(scrubbed)
    }

    @Test(
        "lldb shows signal, threads, modules and words of the stack",
        arguments: [
            ScrubbingRules.Memory.all, .crashingStack, .none,
        ])
    func lldb(memory: ScrubbingRules.Memory) throws {
        try #require(
            FileManager.default.isExecutableFile(atPath: "/usr/bin/lldb"),
            "/usr/bin/lldb is missing: run Scripts/setup, which installs Debian's")
        let directory = try TemporaryDirectory()
        let path = try directory.write(try scrubbed(memory).bytes, to: "scrubbed.dmp")
        // Reading memory that is not there is an error, which ends lldb.
        let reading =
            memory == .none
            ? [] : ["-o", "memory read --format x --size 8 --count 4 0x7ffc10000000"]
        let result = try Subprocess.run(
            [
                "/usr/bin/lldb", "--no-lldbinit", "-b", "-c", path, "-o", "thread list",
                "-o", "image list",
            ] + reading, deadlineSeconds: 120)
        #expect(result.ending == .exited(0), "\(result.standardError)")
        let output = result.standardOutput
        #expect(output.contains("thread #1: tid = 77, 0x0000555555554100"))
        #expect(output.contains("stop reason = signal SIGSEGV"))
        #expect(output.contains("thread #2: tid = 78"))
        #expect(output.contains("01020304-0506-0708-090A-0B0C0D0E0F10-11121314"))
        #expect(output.contains("~/bin/greeter"))
        guard memory != .none else { return }
        #expect(output.contains("0x7ffc10000000: 0x0000555555554123 0x00007ffc10000020"))
        // A copy of the denied annotation's value, and other text.
        #expect(output.contains("0x7ffc10000010: 0x2a2a2a2a2a2a2a2a 0x0defaced0defaced"))
    }
}
