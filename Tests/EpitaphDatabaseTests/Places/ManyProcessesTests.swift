// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct ManyProcessesTests {
    /// Makes every flock(2) of the program it is put before fail, as on a file system without.
    static let noLocks = [
        "strace", "-qq", "-f", "-o", "/dev/null", "-e", "trace=flock", "-e",
        "inject=flock:error=ENOLCK",
    ]

    /// Processes that do things to one database at once, and all the lines they said.
    private func run(
        _ operations: [[String]], on database: String, stop: String, prefix: [String]
    ) throws -> [String] {
        let outputs = try TemporaryDirectory()
        let processes = try operations.enumerated().map { index, words in
            try Subprocess.spawn(
                prefix + Victim.database.command + [database] + words,
                output: outputs.path("\(index)"),
                error: outputs.path("errors"))
        }
        let workers = zip(operations, processes)
        var endings = workers.filter { $0.0[0] == "file-many" }.map {
            Subprocess.wait(for: $0.1, deadlineSeconds: 240)
        }
        #expect(FileManager.default.createFile(atPath: stop, contents: nil))
        endings += workers.filter { $0.0[0] != "file-many" }.map {
            Subprocess.wait(for: $0.1, deadlineSeconds: 240)
        }
        #expect(endings.allSatisfy { $0 == .exited(0) })
        let errors = try String(contentsOfFile: outputs.path("errors"), encoding: .utf8)
        #expect(errors == "")
        return try processes.indices.flatMap {
            try String(contentsOfFile: outputs.path("\($0)"), encoding: .utf8)
                .split(separator: "\n").map(String.init)
        }
    }

    private func words(_ first: String, _ lines: [String]) -> [String] {
        lines.filter { $0.hasPrefix(first + " ") }.map { String($0.dropFirst(first.count + 1)) }
    }

    @Test(
        "Processes that file, send, prune and list at once lose nothing and send nothing twice",
        arguments: [[], noLocks])
    func allAtOnce(prefix: [String]) throws {
        let directory = try TemporaryDirectory()
        let (path, stop) = (directory.path("db"), directory.path("stop"))
        let count = prefix.isEmpty ? "60" : "15"
        let lines = try run(
            [
                ["file-many", count], ["file-many", count], ["send-many", stop],
                ["send-many", stop], ["prune-many", "25", stop], ["list-many", stop],
            ], on: path, stop: stop, prefix: prefix)
        #expect(words("problem", lines) == [])

        let (filed, sent, pruned) = (
            words("filed", lines), words("sent", lines), words("pruned", lines)
        )
        #expect(filed.count == 2 * (Int(count) ?? 0))
        #expect(Set(sent).count == sent.count)
        #expect(Set(pruned).count == pruned.count)
        let database = try ReportDatabase(opening: path, ifMissing: .fail)
        var left: [String: Report] = [:]
        for state in ReportState.allCases {
            let list = try database.reports(state)
            #expect(list.problems == [])
            for report in list.reports {
                #expect(left.updateValue(report, forKey: report.stem) == nil)
                #expect(!report.isLocked)
            }
        }
        #expect(Set(left.keys).isDisjoint(with: pruned))
        #expect(Set(left.keys).union(pruned) == Set(filed))
        for uuid in sent where left[uuid] != nil {
            #expect(left[uuid]?.isUploaded == true)
            #expect(left[uuid]?.serverID == "server-\(uuid)")
        }
        #expect(left.values.allSatisfy { !$0.isUploaded || sent.contains($0.stem) })
        #expect(left.values.allSatisfy { $0.metadataProblem == nil })
    }

    @Test("Of many writers of one report one files it, whole", arguments: [[], noLocks])
    func sameReport(prefix: [String]) throws {
        let directory = try TemporaryDirectory()
        let outputs = try TemporaryDirectory()
        for round in 0..<12 {
            let uuid = Epitaph.ID().description
            let processes = try (0..<5).map { index in
                try Subprocess.spawn(
                    prefix + Victim.database.command + [directory.path("db"), "file", uuid],
                    error: outputs.path("\(round)-\(index)"))
            }
            let endings = processes.map { Subprocess.wait(for: $0, deadlineSeconds: 240) }
            #expect(endings.count { $0 == .exited(0) } == 1)
            for index in processes.indices where endings[index] != .exited(0) {
                let sentence = try String(
                    contentsOfFile: outputs.path("\(round)-\(index)"), encoding: .utf8)
                #expect(
                    sentence.contains("in use by another process")
                        || sentence.contains("there is a report"), "\(sentence)")
            }
            let database = try ReportDatabase(opening: directory.path("db"), ifMissing: .fail)
            let report = try database.report(#require(Epitaph.ID(uuid)))
            let line = Array((uuid + "\n").utf8)
            #expect(
                try database.contents(of: report).array
                    == [[UInt8]](repeating: line, count: 250).flatMap { $0 })
            #expect(try database.attachmentNames(of: report.uuid) == ["log"])
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: directory.path("db/new")) == [])
        }
    }
}
