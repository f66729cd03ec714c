// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite struct LateWriterTests {

    /// Files a report under strace.
    private func strace(_ database: String, _ id: String, _ trace: String, _ rule: [String])
        -> [String]
    {
        ["strace", "-f", "-o", trace, "-e", "trace=newfstatat,openat"] + rule
            + Victim.database.command + [database, "file", id]
    }

    /// How many times the writer asks for a file's status until it makes its own.
    private func questionCount(_ id: String, in directory: TemporaryDirectory) throws -> Int {
        let trace = directory.path("reference")
        let run = try Subprocess.run(strace(directory.path("other"), id, trace, []))
        #expect(run.ending == .exited(0))
        let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
        let end = try #require(
            lines.firstIndex { $0.contains("\"\(id).dmp\"") && $0.contains("O_CREAT") })
        return lines[..<end].count { $0.contains(" newfstatat(") }
    }

    @Test("A writer that looked before another one filed the report leaves its attachments alone")
    func late() throws {
        let directory = try TemporaryDirectory()
        let (path, trace) = (directory.path("db"), directory.path("trace"))
        let id = Epitaph.ID().description
        #expect(try Victim.database.run([path, "consent"]).ending == .exited(0))
        let count = try questionCount(id, in: directory)
        // Stopped behind its last question: it believes that there is no such report.
        let late = try Subprocess.spawn(
            strace(path, id, trace, ["-e", "inject=newfstatat:signal=SIGSTOP:when=\(count)"]),
            error: directory.path("errors"))
        defer { kill(-late, SIGKILL) }
        func lines() -> [Substring] {
            (FileManager.default.contents(atPath: trace).map { String(decoding: $0, as: UTF8.self) }
                ?? "").split(separator: "\n")
        }
        #expect(eventually { lines().contains { $0.contains("stopped by SIGSTOP") } })
        #expect(try Victim.database.run([path, "file", id]).ending == .exited(0))
        let processID = lines().first?.split(separator: " ").first.flatMap { Int32($0) }
        kill(try #require(processID), SIGCONT)
        #expect(Subprocess.wait(for: late, deadlineSeconds: 60) == .exited(1))
        let sentence = try String(contentsOfFile: directory.path("errors"), encoding: .utf8)
        #expect(sentence.contains("there is a report \(id) already"))

        let database = try ReportDatabase(opening: path, ifMissing: .fail)
        let report = try database.report(#require(Epitaph.ID(id)))
        #expect(try database.contents(of: report).count == 9_250)
        #expect(try database.attachmentNames(of: report.uuid) == ["log"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/new") == [])
    }
}
