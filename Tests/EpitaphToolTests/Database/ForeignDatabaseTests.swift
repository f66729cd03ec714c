// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite(
    "dump-convert run as root on a daemon's database",
    .enabled(if: OtherUser.canBeHad, "\(OtherUser.comment)"))
struct ForeignDatabaseTests {
    private static let id = "11111111-2222-4333-8444-555555555555"

    let sample: SampleDatabase

    init() throws {
        sample = try SampleDatabase()
        chmod(sample.directory.path, 0o711)
        // As a daemon in C leaves it: the directory of the dumps alone.
        for name in ["new", "pending", "completed", "attachments"] {
            rmdir(sample.path + "/" + name)
        }
        try sample.leaveDump(Sample.dump(), named: "com.example.d@\(Self.id)")
        try OtherUser.own(sample.path)
    }

    private func root(_ arguments: String...) throws -> Subprocess {
        try dumpConvert(arguments + ["--database", sample.path])
    }

    /// The program, copied to where that user can reach it.
    private func daemon(_ arguments: String...) throws -> Subprocess {
        let program = sample.directory.path("dump-convert")
        if !FileManager.default.fileExists(atPath: program) {
            try runTool(
                ["install", "-m", "755", Products.executable("dump-convert"), program])
        }
        return try Subprocess.run(
            OtherUser.command([program] + arguments + ["--database", sample.path]))
    }

    @Test("A limit that the daemon's user wrote makes root copy no large file of that user's")
    func attachmentLimit() throws {
        let large = try sample.directory.write([], to: "large.log")
        let small = try sample.directory.write(Array("hello".utf8), to: "small.log")
        try #require(truncate(large, 100 << 20) == 0)
        let launches = sample.path + "/launches"
        try FileManager.default.createDirectory(
            atPath: launches, withIntermediateDirectories: true)
        let files =
            #"{"path":"\#(large)","name":"large.log"},{"path":"\#(small)","name":"small.log"}"#
        try #"{"version":1,"limit_bytes":4611686018427387904,"files":[\#(files)]}"#
            .write(
                toFile: launches + "/com.example.d@attachments.json", atomically: true,
                encoding: .utf8)
        try OtherUser.own(sample.path)
        for path in [large, small] {
            try #require(chown(path, OtherUser.id, OtherUser.id) == 0)
        }
        let process = try root("process")
        #expect(process.standardOutput.hasPrefix(Self.id))
        #expect(process.standardError.contains(large))
        let id = try #require(Epitaph.ID(Self.id))
        let database = try ReportDatabase(opening: sample.path, ifMissing: .fail)
        #expect(try database.attachmentNames(of: id) == ["small.log"])
        #expect(try OtherUser.foreign(below: sample.path) == [])
    }

    @Test("All it makes is the daemon's, who goes on with every command")
    func ownersCommands() throws {
        #expect(try root("settings", "--enable-uploads").ending == .exited(0))
        let process = try root("process")
        #expect(process.ending == .exited(0), "\(process.standardError)")
        #expect(process.standardOutput.hasPrefix(Self.id))
        for arguments in [["list", "--group"], ["show"], ["prune", "--max-count", "9"]] {
            try dumpConvertOutput(arguments + ["--database", sample.path])
        }
        #expect(try OtherUser.foreign(below: sample.path) == [])
        #expect(try daemon("list").standardOutput.contains(Self.id))
        #expect(try daemon("show").ending == .exited(0))
        #expect(try daemon("list", "--group").standardOutput.contains(Self.id))
        #expect(try daemon("upload", "--request", Self.id).ending == .exited(0))
        #expect(try daemon("prune", "--max-count", "9").ending == .exited(0))
        #expect(try daemon("settings", "--disable-uploads").ending == .exited(0))
        #expect(try daemon("process").ending == .exited(0))
    }

    @Test("A database that an earlier version made root's is given back by root's next run")
    func givenBack() throws {
        #expect(try daemon("settings", "--enable-uploads").ending == .exited(0))
        for name in ["new", "pending", "completed", "attachments", "settings.dat"] {
            lchown(sample.path + "/" + name, 0, 0)
        }
        #expect(try daemon("process").ending == .exited(3))
        let result = try root("process")
        #expect(result.ending == .exited(0))
        #expect(result.standardError.contains("belonged to root"))
        #expect(try OtherUser.foreign(below: sample.path) == [])
        #expect(try daemon("settings").standardOutput.hasPrefix("uploads: on\n"))
        #expect(try daemon("list").standardOutput.contains(Self.id))
        #expect(try root("process").standardError == "")
    }

    @Test("Where the owner's rights cannot be had, nothing is done as root, and that is said")
    func refused() throws {
        chmod(sample.path, 0o755)
        chmod(sample.path + "/pending-dumps", 0o755)
        for name in try FileManager.default.contentsOfDirectory(atPath: sample.path) {
            try #require(name == "pending-dumps")
        }
        // A process with rights over others' files and without those to be another user.
        let result = try Subprocess.run(
            [
                "setpriv", "--bounding-set=-setuid,-setgid", "--inh-caps=-setuid,-setgid",
                Products.executable("dump-convert"), "process", "--database", sample.path,
            ])
        result.expectFailure(3, saying: "run this as that user")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: sample.path) == ["pending-dumps"])
    }

    @Test("Links in place of its directories and files lead root nowhere")
    func links() throws {
        let vault = sample.directory.path("vault")
        mkdir(vault, 0o700)
        for name in ["new", "pending", "completed", "attachments"] {
            let place = sample.path + "/" + name
            symlink(vault, place)
            #expect(try root("process").ending == .exited(3), "\(name)")
            unlink(place)
        }
        let shadow = FileManager.default.contents(atPath: "/etc/shadow")
        symlink("/etc/shadow", sample.path + "/settings.dat")
        symlink("/etc/shadow", sample.path + "/prune-clock")
        #expect(try root("settings", "--enable-uploads").ending == .exited(1))
        _ = try root("process")
        #expect(FileManager.default.contents(atPath: "/etc/shadow") == shadow)
        symlink(vault, sample.path + "/quarantine")
        _ = try root("process")
        #expect(try FileManager.default.contentsOfDirectory(atPath: vault) == [])
        var status = stat()
        #expect(lstat("/etc/shadow", &status) == 0 && status.st_uid == 0)
    }

    @Test("A path through another user's link is refused with the reason")
    func anothersLink() throws {
        let path = sample.directory.path("link")
        symlink(sample.path, path)
        lchown(path, OtherUser.id + 1, OtherUser.id + 1)
        let result = try dumpConvert("process", "--database", path)
        result.expectFailure(3, saying: "a symbolic link in the path belongs to another user")
        lchown(path, OtherUser.id, OtherUser.id)
        #expect(try dumpConvert("process", "--database", path).ending == .exited(0))
    }

    @Test("A directory of symbols that the owner may not read is told of at once")
    func symbols() throws {
        _ = try root("process")
        let closed = sample.directory.path("closed")
        mkdir(closed, 0o700)
        for command in [["show"], ["list", "--group"]] {
            let result = try dumpConvert(
                command + ["--symbols", closed, "--database", sample.path])
            result.expectFailure(3, saying: "as user \(OtherUser.id), who owns the database")
        }
    }

    @Test("While the owner swaps the database for another's, each run does one of them, whole")
    func swappedDatabase() throws {
        // Another user's database, where the attacker cannot put anything and has nothing to read.
        let other = sample.directory.path("other")
        let theirs = try ReportDatabase(opening: other, ifMissing: .create)
        let report = try theirs.prepareReport()
        var sink = report.sink
        try sink.append([1, 2, 3])
        let filed = try report.finish()
        let parent = sample.directory.path("parent")
        mkdir(parent, 0o755)
        try FileManager.default.moveItem(atPath: sample.path, toPath: parent + "/db")
        lchown(parent, OtherUser.id, OtherUser.id)
        let attacker = try Attacker.swapping(parent + "/db", forLinkTo: other)
        for _ in 0..<25 {
            let result = try dumpConvert(
                "prune", "--max-count", "1", "--max-size", "1", "--database", parent + "/db")
            #expect(!result.standardOutput.contains(filed.uuid.description))
            _ = try dumpConvert("process", "--database", parent + "/db")
        }
        #expect(attacker.isRunning)
        #expect(try theirs.contents(of: filed).array == [1, 2, 3])
        #expect(try FileManager.default.contentsOfDirectory(atPath: other + "/pending").count == 2)
        #expect(!FileManager.default.fileExists(atPath: other + "/prune-clock"))
    }

    @Test("A database that is moved away and back all the time is processed as if it stood still")
    func moved() throws {
        let ids = try (0..<40).map { _ in
            let id = Epitaph.ID()
            try sample.leaveDump(
                Sample.dump(), named: "com.example.d@\(id.description)")
            return id
        }
        try OtherUser.own(sample.path)
        let parent = sample.directory.path("parent")
        mkdir(parent, 0o755)
        try FileManager.default.moveItem(atPath: sample.path, toPath: parent + "/db")
        lchown(parent, OtherUser.id, OtherUser.id)
        do {
            let attacker = try Attacker(
                """
                os.rename(argv[0], argv[0] + ".away")
                os.rename(argv[0] + ".away", argv[0])
                """, parent + "/db")
            for _ in 0..<200 {
                let result = try dumpConvert("process", "--all", "--database", parent + "/db")
                // It may be away when its path is gone along, and then there is no such directory.
                if result.ending == .exited(0) { break }
                #expect(result.ending == .exited(3), "\(result.standardError)")
            }
            #expect(attacker.isRunning)
        }
        let away = parent + "/db.away"
        if FileManager.default.fileExists(atPath: away) { rename(away, parent + "/db") }
        let database = try ReportDatabase(opening: parent + "/db", ifMissing: .fail)
        let filed = try Set(database.reports(.pending).reports.map(\.uuid))
        #expect(Set(ids).isSubset(of: filed))
        #expect(try OtherUser.foreign(below: parent + "/db") == [])
    }
}
