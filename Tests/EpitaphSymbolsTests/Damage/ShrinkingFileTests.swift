// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphUnwinding
import Foundation
import Testing

@Suite("A debug file that becomes shorter while it is read")
struct ShrinkingFileTests {
    /// A mapped file would end this process with SIGBUS.
    @Test(
        "It costs its own lines alone, and never the process", .timeLimit(.minutes(45)),
        arguments: [["-O2", "-g"], ["-O2", "-g", "-gsplit-dwarf"]])
    func shrinking(options: [String]) throws {
        let cutDirectory = try TemporaryDirectory()
        let wholeDirectory = try TemporaryDirectory()
        var files: [String] = []
        for directory in [cutDirectory, wholeDirectory] {
            let program = try ProgramFile.compile(
                ProgramFile.inliningSource, as: "main.c", options, in: directory)
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            let split = names.first { $0.hasSuffix(".dwo") }
            try #require((split != nil) == options.contains("-gsplit-dwarf"))
            files.append(split.map(directory.path) ?? program)
        }
        let addresses = try ProgramFile.addresses(in: cutDirectory.path("program"))
        let cutting = files[0]
        let size = try #require(
            try FileManager.default.attributesOfItem(atPath: cutting)[.size] as? Int)
        let copy = try cutDirectory.write(
            Array(Data(contentsOf: URL(fileURLWithPath: cutting))), to: "copy")
        let loop = try Subprocess.spawn([
            "sh", "-c",
            "while :; do truncate -s $(( \(size) / 3 )) \"$0\"; cat \"$1\" > \"$0\"; done",
            cutting, copy,
        ])
        defer {
            kill(-loop, SIGKILL)
            _ = Subprocess.wait(for: loop, deadlineSeconds: 20)
        }
        let start = try #require(addresses["outer"])
        let expected = ["inner", "outer"]
        var roundCount = 0
        var missCount = 0
        let deadline = ContinuousClock.now + .seconds(60)
        let rounds = Sweep.count(50, oneOf: 2)
        while roundCount < rounds || missCount == 0, ContinuousClock.now < deadline {
            roundCount += 1
            // Opening fails where the file is just then too short to be an ELF file.
            let cut = try? ProgramFile(
                cutDirectory.path("program"), images: InstalledImages(), addresses: addresses)
            let cutCalls = (0..<48).compactMap { cut?.calls(at: start + $0) }
            if !cutCalls.contains(where: { $0.map(\.function) == expected }) { missCount += 1 }
            let whole = try ProgramFile(wholeDirectory.path("program"))
            let calls = try (0..<48).map { try whole.calls(in: "outer", plus: $0) }
            #expect(calls.contains { $0.map(\.function) == expected })
        }
        #expect(roundCount >= rounds)
        #expect(missCount > 0)
    }
}
