// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("dump-convert prune")
struct PruneCommandTests {
    let sample: SampleDatabase
    private let ids = (1...4).map { "0000000\($0)-2222-4333-8444-555555555555" }

    init() throws {
        sample = try SampleDatabase()
        for id in ids { try sample.file([1, 2, 3], id: id) }
        // Filed long ago, a day apart: the time is 8 bytes at offset 16 of the metadata.
        for (index, id) in ids.enumerated() {
            let path = sample.path + "/pending/\(id).meta"
            var bytes = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
            let filed = Int64(Timestamp.now.secondsSince1970) - Int64(100 - index) * 86_400 - 60
            withUnsafeBytes(of: filed.littleEndian) { bytes.replaceSubrange(16..<24, with: $0) }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
        }
    }

    private func prune(_ arguments: String...) throws -> Subprocess {
        try dumpConvert(["prune", "--database", sample.path] + arguments)
    }

    private var left: [String] {
        get throws {
            try sample.files(in: "pending").filter { $0.hasSuffix(".dmp") }
                .map { String($0.dropLast(4)) }
        }
    }

    @Test("Without a limit no report goes")
    func noLimit() throws {
        let result = try prune()
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput == "")
        #expect(result.standardError == "dump-convert: 4 reports kept, 12 bytes\n")
        #expect(try left == ids)
    }

    @Test("What is too old, too many or too large goes, a line for each")
    func limits() throws {
        var result = try prune("--max-age", "99")
        #expect(result.ending == .exited(0))
        #expect(
            result.standardOutput
                == "\(ids[0])  pending  3  too-old\n\(ids[1])  pending  3  too-old\n")
        #expect(try left == Array(ids.dropFirst(2)))
        result = try prune("--max-count", "1")
        #expect(result.standardOutput == "\(ids[2])  pending  3  too-many\n")
        #expect(result.standardError == "dump-convert: 1 report kept, 3 bytes\n")
        truncate(sample.path + "/pending/\(ids[3]).dmp", (1 << 20) + 1)
        result = try prune("--max-size", "1")
        #expect(result.standardOutput == "\(ids[3])  pending  1048577  too-large\n")
        #expect(try sample.files(in: "pending") == [])
    }

    @Test("What a person asked for stays longest, and what was sent goes first")
    func order() throws {
        let uuids = ids.compactMap { Epitaph.ID($0) }
        try sample.database.requestUpload(of: uuids[0])
        try sample.database.beginUpload(of: uuids[3]).recordSuccess(serverID: "x")
        let result = try prune("--max-count", "1")
        let rows = result.standardOutput.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(rows.map { String($0[0]) } == [ids[3], ids[1], ids[2]])
        #expect(rows.map { String($0[1]) } == ["sent", "pending", "pending"])
        #expect(try left == [ids[0]])
    }

    @Test("--dry-run tells the same and removes nothing; --json is for programs")
    func dryRun() throws {
        let dry = try prune("--max-count", "2", "--dry-run")
        #expect(try left == ids)
        let result = try prune("--max-count", "2", "--dry-run", "--json")
        struct Answer: Decodable {
            struct Removed: Decodable {
                let id, state, filed, reason: String
                let sizeBytes: Int
            }
            struct Kept: Decodable { let count, sizeBytes: Int }
            let schema: String
            let schemaVersion: Int
            let isDryRun, isClockTrusted: Bool
            let removed: [Removed]
            let kept: Kept
            let redated, busy, stale, quarantine, problems: [String]
        }
        let answer = try JSONDecoder().decode(Answer.self, from: Data(result.standardOutput.utf8))
        #expect(answer.isDryRun && answer.isClockTrusted)
        #expect(answer.schema == "urn:epitaph:prune" && answer.schemaVersion == 1)
        #expect(answer.removed.map(\.id) == Array(ids.prefix(2)))
        #expect(answer.removed.allSatisfy { $0.reason == "too-many" && $0.sizeBytes == 3 })
        #expect(answer.kept.count == 2 && answer.kept.sizeBytes == 6)
        #expect(answer.problems.isEmpty && answer.stale.isEmpty && answer.busy.isEmpty)
        #expect(try left == ids)
        #expect(try prune("--max-count", "2").standardOutput == dry.standardOutput)
    }

    @Test("Leftovers, quarantined files and reports from the future are told of")
    func others() throws {
        #expect(try prune().ending == .exited(0))
        let lonely = sample.path + "/completed/\(Epitaph.ID().description).meta"
        try Data([1]).write(to: URL(fileURLWithPath: lonely))
        try FileManager.default.createDirectory(
            atPath: sample.path + "/quarantine", withIntermediateDirectories: false)
        for number in 0..<51 {
            let path = sample.path + "/quarantine/\(100 + number)"
            try Data([1]).write(to: URL(fileURLWithPath: path))
            let time = timeval(tv_sec: 1_700_000_000 + number, tv_usec: 0)
            #expect(utimes(path, [time, time]) == 0)
        }
        let path = sample.path + "/pending/\(ids[0]).meta"
        var bytes = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
        bytes[20] = 1
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let result = try prune()
        #expect(result.ending == .exited(0))
        #expect(
            result.standardError == """
                dump-convert: \(lonely): leftover of interrupted work, removed
                dump-convert: \(sample.path)/quarantine/100: too old, or too large for the \
                quarantine, removed
                dump-convert: report \(ids[0]) is from the future: it counts as filed now
                dump-convert: 4 reports kept, 12 bytes

                """)
    }

    @Test("A clock that jumped since the last run is told of, and costs no report its age")
    func jump() throws {
        try Data("epitaph-prune-clock 1 1200000000 -\n".utf8).write(
            to: URL(fileURLWithPath: sample.path + "/prune-clock"))
        let result = try prune("--max-age", "1")
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput == "")
        #expect(result.standardError.contains("the time of day has jumped since the last run"))
        #expect(try left == ids)
    }

    @Test("A directory that is no database, or none at all, is said to be that")
    func noDatabase() throws {
        let directory = try TemporaryDirectory()
        let none = try dumpConvert("prune", "--database", directory.path("none"))
        none.expectFailure(3, saying: directory.path("none"))
        let empty = try dumpConvert("prune", "--database", directory.path, "--json")
        #expect(empty.ending == .exited(0))
        #expect(empty.standardError.contains("there is no report in \(directory.path) yet"))
        #expect(empty.standardOutput.contains("\"removed\" : ["))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }
}
