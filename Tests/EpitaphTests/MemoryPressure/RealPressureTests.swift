// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite struct RealPressureTests {
    @Test(
        "The kernel kills a process that uses too much, and its provisional dump is there",
        .enabled(
            if: LimitedGroup.canBeHad, "a control group with a memory limit needs root and cgroups"),
        arguments: ["light", "full"])
    func killed(_ mode: String) throws {
        let group = try #require(LimitedGroup(limitBytes: 96 << 20))
        let directory = try TemporaryDirectory()
        let run = try Subprocess.run(
            group.running(Victim.watch.command + [directory.path("db"), "eat", mode]),
            deadlineSeconds: 240)
        #expect(run.ending == .signalled(SIGKILL), "\(run.standardOutput) \(run.standardError)")
        #expect(run.standardOutput.hasPrefix("began(cause: "))
        #expect(run.standardOutput.contains(", dumped"))
        let files = try FileManager.default.contentsOfDirectory(
            atPath: directory.path("db/pending-dumps"))
        #expect(files.count == 2 && files.allSatisfy { $0.hasSuffix(".locked") })
        try sweep(directory.path("db"), isNamed: KernelKills.name(run.processID, Victim.watch.name))
    }

    @Test(
        "However fast memory is filled, the report has the stack of the thread that fills it",
        .enabled(
            if: LimitedGroup.canBeHad, "a control group with a memory limit needs root and cgroups"),
        arguments: [100, 500])
    func filled(_ megabytesPerSecond: Int) throws {
        // Where other programs have the processors, the kernel may be first.
        var found = 0
        for _ in 0..<6 where found < 2 {
            let group = try #require(LimitedGroup(limitBytes: 96 << 20))
            let directory = try TemporaryDirectory()
            let run = try Subprocess.run(
                group.running(
                    Victim.watch.command
                        + [directory.path("db"), "fill", "\(megabytesPerSecond)", "light"]),
                deadlineSeconds: 120)
            #expect(run.ending == .signalled(SIGKILL), "\(run.standardOutput)")
            _ = try Subprocess.run(
                [
                    Products.executable("dump-convert"), "process", "--database",
                    directory.path("db"),
                ], deadlineSeconds: 120)
            let shown = try Subprocess.run(
                [
                    Products.executable("dump-convert"), "show", "latest", "--database",
                    directory.path("db"),
                ], deadlineSeconds: 120)
            if shown.standardOutput.contains("fillCache") { found += 1 }
        }
        #expect(found == 2)
    }

    /// What the sweep makes of what is left.
    private func sweep(_ database: String, isNamed: Bool) throws {
        let swept = try Subprocess.run(
            [Products.executable("dump-convert"), "process", "--database", database],
            deadlineSeconds: 120)
        let end =
            isNamed
            ? "ended by the kernel for want of memory (the kernel's log says" : "want of memory"
        #expect(swept.standardError.contains(end), "\(swept.standardError)")
        #expect(swept.standardOutput.split(separator: "\n").count == 1)
        let shown = try Subprocess.run(
            [Products.executable("dump-convert"), "show", "latest", "--database", database],
            deadlineSeconds: 120
        ).standardOutput
        let words = isNamed ? "killed by the kernel because memory ran out" : "memory became scarce"
        #expect(shown.split(separator: "\n").first?.hasSuffix(": \(words)") == true, "\(shown)")
        #expect(shown.contains(" of 96.0 MiB in "), "\(shown)")
        // About the program's own threads, never about the watch. Which of them fills memory is a
        // matter of the moment: on a busy machine it may be waiting for a processor's turn.
        let signature = shown.split(separator: "\n").first { $0.hasPrefix("  Signature ") } ?? ""
        #expect(!signature.contains("BackgroundThread"), "\(shown)")
        #expect(!signature.contains("MemoryWatch"), "\(shown)")
        let left = try FileManager.default.contentsOfDirectory(atPath: database + "/pending-dumps")
        #expect(left.isEmpty, "\(left)")
    }
}
