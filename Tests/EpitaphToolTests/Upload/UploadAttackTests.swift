// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Root sends the reports of another user's database while that user swaps its files. Only root can
/// play this, since it takes two users.
@Suite(
    "A swapped file is not sent",
    .enabled(if: geteuid() == 0, "it takes root and a second user"), .serialized)
struct UploadAttackTests {
    private static let secret = "root:$6$only-root-reads-this"
    /// The user `nobody`.
    private static let attacker: uid_t = 65_534

    let directory: TemporaryDirectory
    let secretPath: String

    init() throws {
        directory = try TemporaryDirectory()
        #expect(chmod(directory.path, 0o711) == 0)
        #expect(mkdir(directory.path("roots"), 0o700) == 0)
        secretPath = try directory.write(Array(Self.secret.utf8), to: "roots/app.log")
        #expect(chmod(secretPath, 0o600) == 0)
        #expect(mkdir(directory.path("home"), 0o755) == 0)
    }

    /// A database of the attacker's with one report, whose minidump and attachment say `words`.
    private func database(_ name: String, _ uuids: [Epitaph.ID], _ words: String) throws
        -> ReportDatabase
    {
        let database = try ReportDatabase(
            opening: directory.path("home/" + name), ifMissing: .create)
        for uuid in uuids {
            let report = try database.prepareReport(uuid)
            var sink = report.sink
            try sink.append(Array("MDMP \(words) \(uuid)".utf8))
            try report.addAttachment("app.log").writeAll(Array("\(words) log".utf8), at: 0)
            _ = try report.finish()
        }
        _ = try database.settings()
        return database
    }

    /// Swaps pairs of names below `home`, as the attacker, while `body` runs.
    private func swapping(_ names: [String], _ body: () throws -> Void) throws {
        try runTool(
            ["chown", "-hR", "\(Self.attacker):\(Self.attacker)", directory.path("home")])
        let paths = names.map { directory.path("home/" + $0) }
        let swapper = try Subprocess.spawn(
            ["python3", Products.fixture("python/swapper.py"), "\(Self.attacker)"] + paths)
        defer {
            kill(-swapper, SIGKILL)
            var status: Int32 = 0
            waitpid(swapper, &status, 0)
        }
        let first = identity(paths[0])
        try #require(eventually { identity(paths[0]) != first })
        try body()
        // It went on to the end.
        let last = identity(paths[0])
        #expect(eventually { identity(paths[0]) != last })
    }

    private func identity(_ path: String) -> ino_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_ino : nil
    }

    private func upload(to collector: TestServer) throws {
        _ = try dumpConvert(
            "upload", "--database", directory.path("home/db"), "--url", collector.url, "--once",
            "--now", "--no-compression", "--retry-limit", "0", "--reports-per-min", "0")
    }

    private func bodies(_ collector: TestServer) -> [String] {
        var bodies: [String] = []
        while let body = try? collector.body(bodies.count) {
            bodies.append(String(decoding: body, as: UTF8.self))
        }
        return bodies
    }

    @Test("An attachment and its directory that become links to root's files")
    func attachments() throws {
        let collector = try TestServer.collector("ok")
        let uuids = (0..<12).map { _ in Epitaph.ID() }
        _ = try database("db", uuids, "mine")
        var names: [String] = []
        for (index, uuid) in uuids.enumerated() {
            let place = "db/attachments/\(uuid.description)"
            let link = directory.path("home/link\(index)")
            let isFile = index % 2 == 0
            #expect(symlink(isFile ? secretPath : directory.path("roots"), link) == 0)
            names += [isFile ? place + "/app.log" : place, "link\(index)"]
        }
        try swapping(names) {
            for _ in 0..<5 { try upload(to: collector) }
        }
        let sent = bodies(collector)
        #expect(sent.count >= 12)
        #expect(!sent.contains { $0.contains(Self.secret) })
    }

    @Test("A database that changes places with another: none is filed as sent that was not")
    func databases() throws {
        let collector = try TestServer.collector("ok")
        let uuids = (0..<12).map { _ in Epitaph.ID() }
        let databases = [
            try database("db", uuids, "mine"), try database("other", uuids, "theirs"),
        ]
        try swapping(["db", "other"]) {
            for _ in 0..<6 { try upload(to: collector) }
        }
        let sent = bodies(collector)
        #expect(!sent.contains { $0.contains("mine") && $0.contains("theirs") })
        for (database, words) in zip(databases, ["mine", "theirs"]) {
            for report in try database.reports(.completed).reports where report.isUploaded {
                #expect(sent.contains { $0.contains("MDMP \(words) \(report.uuid)") })
            }
        }
        let filed = try databases.reduce(0) { try $0 + $1.reports(.completed).reports.count }
        #expect(filed == sent.count && filed > 0)
    }
}
