// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// The calls that change something on disk, interrupted one by one. Scripts/interrupt-database does
/// the same with every call of every operation.
@Suite struct InterruptionTests {
    private static let id = "11111111-2222-4333-8444-555555555555"

    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("db")
    }

    private func perform(_ operation: String, rule: String? = nil, ahead: Int = 0) throws
        -> Subprocess
    {
        let strace = ["strace", "-qq", "-o", directory.path("trace"), "-e", "trace=file,desc"]
        let inject = rule.map { strace + ["-e", "inject=" + $0] } ?? []
        return try Subprocess.run(
            inject + Victim.database.command + [path, operation, Self.id],
            environment: ["EPITAPH_LAB_AHEAD": "\(ahead)"],
            // Each of them waits for the disk a dozen times, which others may keep busy.
            deadlineSeconds: 240)
    }

    /// The report, and that it is whole and in one place only.
    private func report() throws -> Report {
        let database = try ReportDatabase(opening: path, ifMissing: .fail)
        let places = ["pending", "completed"].filter {
            FileManager.default.fileExists(atPath: "\(path)/\($0)/\(Self.id).dmp")
        }
        #expect(places.count == 1)
        let report = try database.report(#require(Epitaph.ID(Self.id)))
        #expect(report.metadataProblem == nil)
        #expect(try database.contents(of: report).count == 9_250)
        return report
    }

    /// Interrupts every one of these calls of "send", each in a database of its own.
    private func interruptEach(_ call: String, _ answer: String, _ check: () throws -> Void) throws
        -> Int
    {
        #expect(try perform("file").ending == .exited(0))
        let filed = directory.path("filed")
        try FileManager.default.moveItem(atPath: path, toPath: filed)
        for ordinal in 1...100 {
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: filed, toPath: path)
            let run = try perform("send", rule: "\(call):\(answer):when=\(ordinal)")
            let trace = try String(contentsOfFile: directory.path("trace"), encoding: .utf8)
            guard run.ending == .signalled(SIGKILL) || trace.contains("(INJECTED)") else {
                return ordinal - 1
            }
            try check()
        }
        return 100
    }

    @Test(
        "A report is sent once, whatever call its sender is killed at",
        arguments: [
            ("renameat", 3), ("unlinkat", 3), ("fsync", 9), ("pwrite64", 5), ("ftruncate", 2),
            ("mkdirat", 4),
        ])
    func killed(call: String, least: Int) throws {
        let count = try interruptEach(call, "signal=SIGKILL") {
            let left = try report()
            #expect(left.uploadAttempts <= 1)
            #expect(!left.isUploaded || left.state == .completed)
            // Whose lock it was it may not have got to say: then it counts for two minutes.
            let again = try perform("send", ahead: 200)
            let isOver =
                again.standardError.contains("has been uploaded already")
                || again.standardError.contains("there is no report")
            #expect(again.ending == .exited(0) || isOver, "\(again.ending) \(again.standardError)")
            let end = try report()
            #expect(end.state == .completed && end.isUploaded)
            #expect(end.serverID == "server-\(Self.id)")
        }
        #expect(count >= least)
    }

    @Test(
        "On a disk that is full at any write the report stays whole and can be sent later",
        arguments: ["pwrite64", "fsync", "renameat", "openat"])
    func diskFull(call: String) throws {
        let count = try interruptEach(call, "error=ENOSPC") {
            let left = try report()
            #expect(left.isUploaded == (left.state == .completed))
            let again = try perform("send", ahead: 200)
            let isOver =
                again.standardError.contains("there is no report")
                || again.standardError.contains("has been uploaded already")
            #expect(again.ending == .exited(0) || isOver, "\(again.ending) \(again.standardError)")
            #expect(try report().isUploaded)
        }
        #expect(count >= 3)
    }
}
