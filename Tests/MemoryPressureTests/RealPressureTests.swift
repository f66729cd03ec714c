// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

/// A control group with a limit, in which the kernel kills.
final class LimitedGroup {
    let path: String

    /// Nil where none can be had: not root, or nothing is mounted that may be written.
    convenience init?(limitBytes: Int) {
        guard let path = Self.make(limitBytes) else { return nil }
        self.init(path: path)
    }

    private init(path: String) {
        self.path = path
    }

    private static func make(_ limitBytes: Int) -> String? {
        let name = "epitaph-test-\(UInt32.random(in: 0 ... .max))"
        let roots = [
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max"),
        ]
        for (root, limit) in roots {
            let path = "\(root)/\(name)"
            guard mkdir(path, 0o755) == 0 else { continue }
            let file = "\(path)/\(limit)"
            let isLimited =
                (try? "\(limitBytes)".write(toFile: file, atomically: false, encoding: .utf8))
                != nil
            if isLimited { return path }
            rmdir(path)
        }
        return nil
    }

    deinit { rmdir(path) }

    static var canBeHad: Bool { LimitedGroup(limitBytes: 64 << 20) != nil }
}

@Suite struct RealPressureTests {
    @Test(
        "The kernel kills a process that uses too much, and its provisional dump is there",
        .enabled(
            if: LimitedGroup.canBeHad, "a control group with a memory limit needs root and cgroups"),
        arguments: ["light", "full"])
    func killed(_ mode: String) throws {
        let group = try #require(LimitedGroup(limitBytes: 96 << 20))
        let directory = try TemporaryDirectory()
        let script = "echo $$ > \(group.path)/cgroup.procs && exec \"$@\""
        let run = try Subprocess.run(
            [
                "bash", "-c", script, "bash", Products.executable("WatchDummy"),
                directory.path("db"), "eat", mode,
            ], deadlineSeconds: 240)
        #expect(run.ending == .signalled(SIGKILL), "\(run.standardOutput) \(run.standardError)")
        #expect(run.standardOutput.hasPrefix("began(cause: "))
        #expect(run.standardOutput.contains(", dumped"))
        let files = try FileManager.default.contentsOfDirectory(
            atPath: directory.path("db/pending-dumps"))
        #expect(files.count == 2 && files.allSatisfy { $0.hasSuffix(".locked") })
    }
}
