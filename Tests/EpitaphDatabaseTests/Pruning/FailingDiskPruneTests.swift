// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// A disk that fails in the middle, by strace.
@Suite struct FailingDiskPruneTests {

    private func run(_ words: [String], rule: String? = nil) throws -> Subprocess {
        let strace = ["strace", "-qq", "-o", "/dev/null", "-e", "trace=fsync,unlinkat", "-e"]
        return try Subprocess.run(
            (rule.map { strace + ["inject=" + $0] } ?? []) + Victim.database.command + words)
    }

    private func names(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".dmp") }
    }

    @Test(
        "When a report cannot be removed for good no other goes in its place",
        arguments: ["fsync:error=EIO:when=3+", "unlinkat:error=EIO:when=1+"])
    func noCascade(rule: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("db")
        for _ in 0..<6 {
            let filed = try run([path, "file", Epitaph.ID().description.uppercased()])
            #expect(filed.ending == .exited(0))
        }
        let result = try run([path, "prune", "4"], rule: rule)
        #expect(result.ending == .exited(1))
        #expect(result.standardError.contains("Input/output error"))
        let left = try names(path + "/pending")
        let pruned = result.standardOutput.split(separator: "\n").filter {
            $0.hasPrefix("pruned ")
        }
        // At most the two that had to go, and then the failure is reported.
        #expect(left.count >= 4)
        #expect(left.count + pruned.count == 6)
        #expect(try run([path, "prune", "4"]).ending == .exited(0))
        #expect(try names(path + "/pending").count == 4)
    }

    @Test("A report that is filed keeps its attachments, though the disk fails right after")
    func filing() throws {
        let id = Epitaph.ID().description
        var hitCount = 0
        for ordinal in 3...20 {
            let directory = try TemporaryDirectory()
            let path = directory.path("db")
            let result = try run([path, "file", id], rule: "fsync:error=EIO:when=\(ordinal)")
            guard FileManager.default.fileExists(atPath: "\(path)/pending/\(id).dmp") else {
                continue
            }
            if result.ending == .exited(1) { hitCount += 1 }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: "\(path)/attachments/\(id)")
                    == ["log"])
        }
        // The syncs behind the renaming, of two directories.
        #expect(hitCount == 2)
    }
}
