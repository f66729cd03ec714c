// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphLogUpload

@Suite("An uploader that is killed again and again", .timeLimit(.minutes(45)))
struct KillTests {
    let parent: TemporaryDirectory
    let path: String

    init() throws {
        parent = try TemporaryDirectory()
        path = parent.path("logs")
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false)
    }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    private func upload(_ server: LogServer, _ more: String...) -> [String] {
        [Products.executable("dump-convert"), "upload-logs", path, "--url", server.url] + more
    }

    /// As logrotate does: the highest number first.
    private func rotate(below count: Int) {
        for number in (1..<count).reversed() {
            rename(path + "/app.log.\(number)", path + "/app.log.\(number + 1)")
        }
    }

    private func digests(of names: [String]) throws -> [String] {
        let run = try Subprocess.run(["sha256sum"] + names.map { path + "/" + $0 })
        return run.standardOutput.split(separator: "\n").map { String($0.prefix(64)) }
    }

    @Test(
        "Each log arrives at a server that fails at random, and comes twice only under one id",
        arguments: [1, 2])
    func killed(_ seed: Int) throws {
        let server = try LogServer(seed: seed)
        let count = 24
        let old = Timestamp.now.adding(seconds: -3_600)
        for number in 1...count {
            let name = "app.log.\(number)"
            let size = number.isMultiple(of: 6) ? 2_000_000 : 500
            try writeLog("\(number)\n".utf8 + Array(repeating: 0x61, count: size), to: path, name)
            try FileManager.default.setAttributes(
                [.modificationDate: (old).date], ofItemAtPath: path + "/" + name)
        }
        try writeLog(Array("active".utf8), to: path, "app.log")
        let expected = Set(try digests(of: (1...count).map { "app.log.\($0)" }))
        var random = SplitMix(state: UInt64(seed))
        var kills = 0
        while names.contains(where: { $0 != "app.log" }), kills < 300 {
            let more = kills.isMultiple(of: 2) ? ["--watch", "--gzip"] : ["--watch"]
            let child = try Subprocess.spawn(upload(server) + more)
            usleep(UInt32.random(in: 20_000...400_000, using: &random))
            rotate(below: count + kills + 1)
            kill(child, SIGKILL)
            #expect(Subprocess.wait(for: child, deadlineSeconds: 20) == .signalled(SIGKILL))
            kills += 1
        }
        #expect(names == ["app.log"])
        let received = server.received
        #expect(Set(received.map(\.sha256)) == expected)
        let ids = Dictionary(grouping: received, by: \.sha256).mapValues { Set($0.map(\.id)) }
        #expect(ids.values.allSatisfy { $0.count == 1 })
        #expect(Set(ids.values.flatMap { $0 }).count == count)
        #expect(kills > 1)
    }
}
