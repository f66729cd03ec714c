// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphTestSupport
import Foundation
import Testing

/// The database is a daemon's, user 1; the reader is user 2 with group 2.
@Suite(
    "A group that may read reports",
    .enabled(if: OtherUser.canBeHad, "\(OtherUser.comment)"))
struct ReadingGroupTests {
    private static let group: UInt32 = 2
    private static let id = "11111111-2222-4333-8444-555555555555"

    let sample: SampleDatabase

    init() throws {
        sample = try SampleDatabase()
        chmod(sample.directory.path, 0o755)
        try sample.file(Sample.minidump(), id: Self.id)
        try OtherUser.own(sample.path)
        try sample.directory.write(
            Array("[database \(sample.path)]\nreading_group = bin\n".utf8), to: "conf")
    }

    private func once() throws -> Subprocess {
        try dumpConvert("watch", "--once", "--config", sample.directory.path("conf"))
    }

    private func asReader(_ arguments: String..., groups: String = "2") throws -> Subprocess {
        try Subprocess.run(
            [
                "setpriv", "--reuid=2", "--regid=\(groups)", "--clear-groups", "env",
                "PATH=/usr/bin:/bin", "NO_COLOR=1",
            ] + arguments, environment: ["EPITAPH_DATABASE": sample.path])
    }

    private func mode(_ name: String) -> String {
        var status = stat()
        guard lstat(sample.path + "/" + name, &status) == 0 else { return "missing" }
        return String(status.st_mode & 0o7777, radix: 8) + " \(status.st_uid):\(status.st_gid)"
    }

    @Test("Its members list and show what is there and what comes, and can change nothing")
    func reads() throws {
        #expect(try asReader(Products.executable("dump-convert"), "list").exitStatus == 3)
        let first = try once()
        #expect(first.exitStatus == 0, "\(first.standardError)")
        #expect(first.standardError.contains("group bin may read the reports"))
        #expect(mode("") == "2750 1:2")
        #expect(mode("pending/\(Self.id).dmp") == "640 1:2")
        let later = try sample.leaveDump(
            Sample.dump(), named: "com.example.d@22222222-2222-4333-8444-555555555555")
        try OtherUser.own(sample.path + "/pending-dumps")
        #expect(try once().standardError.contains("may read") == false)
        #expect(!FileManager.default.fileExists(atPath: later))
        #expect(mode("pending/22222222-2222-4333-8444-555555555555.dmp") == "640 1:2")
        let program = Products.executable("dump-convert")
        let list = try asReader(program, "list")
        #expect(list.exitStatus == 0, "\(list.standardError)")
        #expect(list.standardOutput.split(separator: "\n").count { $0.contains("SIGSEGV") } == 2)
        #expect(try asReader(program, "list", "--group").exitStatus == 0)
        let show = try asReader(program, "show", Self.id)
        #expect(show.exitStatus == 0, "\(show.standardError)")
        for command in ["process", "prune"] {
            _ = try asReader(program, command, groups: "2")
        }
        #expect(try asReader(program, "settings", "--enable-uploads").exitStatus != 0)
        for path in ["pending/x", "x", "pending/\(Self.id).dmp"] {
            let result = try asReader("sh", "-c", "echo >> \(sample.path)/\(path)")
            #expect(result.ending != .exited(0))
        }
        #expect(try asReader(program, "list", groups: "3").exitStatus == 3)
        #expect(try OtherUser.foreign(below: sample.path) == [])
    }

    @Test("What a daemon with a umask of 077 files itself can be read as well")
    func umask() throws {
        _ = try once()
        let id = "33333333-2222-4333-8444-555555555555"
        try sample.leaveDump(Sample.dump(), named: "com.example.d@\(id)")
        try OtherUser.own(sample.path + "/pending-dumps")
        try runTool(
            OtherUser.command([
                "sh", "-c", "umask 077; exec \"$@\"", "sh", Products.executable("dump-convert"),
                "process", "--database", sample.path,
            ]))
        #expect(mode("pending/\(id).dmp") == "640 1:2")
        #expect(mode("pending/\(id).meta") == "640 1:2")
    }

    @Test("A directory that lost its bit is never readable for another group, and is repaired")
    func lostBit() throws {
        _ = try once()
        // Reports are written in one and moved to the other.
        for name in ["new", "pending"] { chmod(sample.path + "/" + name, 0o750) }
        let id = "44444444-2222-4333-8444-555555555555"
        try sample.leaveDump(Sample.dump(), named: "com.example.d@\(id)")
        try OtherUser.own(sample.path + "/pending-dumps")
        _ = try Subprocess.run(
            OtherUser.command([
                Products.executable("dump-convert"), "process", "--database", sample.path,
            ]))
        #expect(mode("pending/\(id).meta").hasPrefix("600 "))
        let repair = try once()
        #expect(repair.standardError.contains("group bin may read the reports"))
        #expect(mode("pending") == "2750 1:2")
        #expect(mode("pending/\(id).meta") == "640 1:2")
    }

    @Test("Files of other users, and those with a second name, do not become readable")
    func foreign() throws {
        let secret = try sample.directory.write([1], to: "secret")
        chmod(secret, 0o600)
        link(secret, sample.path + "/pending/linked.meta")
        let moved = try sample.directory.write([1], to: "moved")
        chmod(moved, 0o600)
        rename(moved, sample.path + "/pending/moved.meta")
        symlink("/etc/shadow", sample.path + "/pending/symbolic.meta")
        var before = stat()
        stat("/etc/shadow", &before)
        _ = try once()
        #expect(mode("pending/linked.meta") == "600 0:0")
        #expect(mode("pending/moved.meta") == "600 0:0")
        var after = stat()
        stat("/etc/shadow", &after)
        #expect(after.st_gid == before.st_gid && after.st_mode == before.st_mode)
    }

    @Test("Without the setting nothing is opened, and a group that is not there is an error")
    func silent() throws {
        try sample.directory.write(Array("[database \(sample.path)]\n".utf8), to: "conf")
        _ = try once()
        #expect(mode("pending/\(Self.id).dmp") == "600 1:1")
        try sample.directory.write(
            Array("[database \(sample.path)]\nreading_group = no-such-group\n".utf8), to: "conf")
        let check = try dumpConvert("config", "check", sample.directory.path("conf"))
        #expect(check.exitStatus == 1)
        #expect(check.standardOutput.contains("conf:2: there is no group no-such-group"))
    }
}
