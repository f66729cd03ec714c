// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import Foundation
import Testing

/// Cores that gdb made, stored as systemd-coredump stores them: in root's directory, with an ACL
/// entry for the user who may read one.
@Suite(
    "Reports of the cores that systemd-coredump stores",
    .enabled(if: OtherUser.canBeHad, "\(OtherUser.comment)"))
struct StoredCoreTests {
    let directory: TemporaryDirectory
    let cores: String
    let users: String

    init() throws {
        directory = try TemporaryDirectory()
        let program = try CrashingProgram.compile(["-O1"], in: directory)
        _ = try DebuggedProgram(running: [program, "abort"], in: directory)
        cores = directory.path("cores")
        users = directory.path("users")
        for path in [cores, users] { try #require(mkdir(path, 0o755) == 0) }
        try #require(chmod(directory.path, 0o711) == 0)
    }

    /// - Parameters:
    ///   - time: seconds since 1970.
    ///   - isReadable: by its user.
    private func store(
        _ command: String = "victim", user: UInt32 = 0, time: Int = 1_771_236_312,
        isReadable: Bool = true
    ) throws -> String {
        let boot = String(repeating: "a", count: 32)
        let path = "\(cores)/core.\(command).\(user).\(boot).4711.\(time)000000"
        try FileManager.default.copyItem(atPath: directory.path("core"), toPath: path)
        try #require(chmod(path, 0o640) == 0)
        // A group stands for the entry of the ACL, which needs a package.
        if isReadable { try #require(chown(path, 0, user) == 0) }
        return path
    }

    private func report(_ core: String, _ settings: String = "") throws -> Subprocess {
        try directory.write(Array("directory \(users)\n\(settings)".utf8), to: "conf")
        let config = directory.path("link")
        if !FileManager.default.fileExists(atPath: config) {
            try FileManager.default.createSymbolicLink(
                atPath: config, withDestinationPath: directory.path("conf"))
        }
        return try dumpConvert("core-pipe", "--config", config, "--stored", core)
    }

    private func mark(_ core: String) throws -> String? {
        try FileDescriptor.openForReading(core).attribute("user.epitaph.report")
    }

    private func id(_ result: Subprocess) throws -> String {
        #expect(result.ending == .exited(0), "\(result.standardError)")
        return try String(#require(result.standardOutput.split(separator: "\n").first))
    }

    @Test("Core and report name each other, and there is one report of each core")
    func naming() throws {
        let core = try store()
        let id = try id(report(core))
        #expect(try mark(core) == id)
        let shown = try dumpConvert("show", "--database", users + "/0", id).standardOutput
        #expect(shown.contains("core_file = \(core)"))
        #expect(shown.contains("2026-02-16 10:05:12 UTC"))
        #expect(shown.contains("SIGABRT"))
        #expect(try self.id(report(core)) == id)
        let list = try dumpConvert("list", "--database", users + "/0").standardOutput
        #expect(list.split(separator: "\n").count == 2)
    }

    @Test("A report is its user's only if that user may read the core")
    func owners() throws {
        _ = try id(report(store(user: OtherUser.id)))
        #expect(try OtherUser.foreign(below: users + "/\(OtherUser.id)").isEmpty)
        _ = try id(report(store("secret", user: 77, isReadable: false)))
        #expect(!FileManager.default.fileExists(atPath: users + "/77"))
        let list = try dumpConvert("list", "--database", users + "/0").standardOutput
        #expect(list.split(separator: "\n").count == 2)
    }

    @Test("The rate of core-pipe applies, to the hour of each crash")
    func rate() throws {
        let settings = "reports-per-program 1\n"
        _ = try id(report(store(), settings))
        let second = try store(time: 1_771_236_400)
        let refused = try report(second, settings)
        #expect(refused.ending == .exited(1))
        #expect(refused.standardError.contains("within an hour"))
        #expect(try mark(second) == "none")
        _ = try id(report(store(time: 1_771_246_400), settings))
    }

    @Test("A core that cannot be read is tried twice, and others are none of ours")
    func unreadable() throws {
        let core = try store()
        try Data("no core".utf8).write(to: URL(fileURLWithPath: core))
        for tries in 1...2 {
            let result = try report(core)
            #expect(result.ending == .exited(1))
            #expect(result.standardError.contains("is not a core file"))
            #expect(try mark(core) == "tried \(tries)")
        }
        #expect(try watch() == "")
        let other = try report(directory.path("core"))
        #expect(other.standardError.contains("not named as systemd-coredump names its cores"))
        let link = cores + "/core.a.0.\(String(repeating: "b", count: 32)).1.1000000"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/etc/shadow")
        #expect(try watch().hasPrefix("<3>no report: \(link): "))
    }

    /// What the service logs of cores. It has reports made in the machine's directory, so there is
    /// another in its place, without the machine's settings.
    private func watch() throws -> String {
        let script = """
            mount -t tmpfs none /var/lib && mkdir -p -m 711 /var/lib/epitaph/users || exit 99
            test ! -e /etc/epitaph || mount -t tmpfs none /etc/epitaph || exit 99
            exec "$0" watch --once --config "$1"
            """
        let lines = "coredumps = \(cores)\nlog = stderr\n[database /var/lib/epitaph/users/*]\n"
        let config = try directory.write(Array(lines.utf8), to: "service.conf")
        let result = try Subprocess.run([
            "unshare", "--mount", "sh", "-c", script, Products.executable("dump-convert"), config,
        ])
        let isFine = !result.standardError.contains("<3>")
        #expect(result.ending == .exited(isFine ? 0 : 1), "\(result.standardError)")
        return result.standardError
    }

    @Test("The service makes those that are due, the oldest first, once")
    func service() throws {
        let later = try store("later", time: 1_771_240_000)
        let first = try store("first")
        try Data().write(to: URL(fileURLWithPath: cores + "/.#core.being.written"))
        let lines = try watch().split(separator: "\n")
        #expect(lines.count == 2, "\(lines)")
        for (line, core) in zip(lines, [first, later]) {
            let mark = try #require(try mark(core))
            #expect(line.hasPrefix("<5>") && line.contains("report \(mark) in "))
        }
        #expect(try watch() == "")
    }

    @Test("A death that the program has reported itself is not reported again")
    func ownReport() throws {
        let database = directory.path("database")
        // It stops at the first SIGABRT, before the handler, and at the one that the handler sends.
        let gdb = try Subprocess.run([
            "gdb", "-nx", "-batch", "-ex", "set debuginfod enabled off", "-ex", "run",
            "-ex", "continue", "-ex", "generate-core-file \(directory.path("core"))", "--args",
            Products.executable("CEpitaphVictim"), database, "abort",
        ])
        try #require(gdb.ending == .exited(0), "\(gdb.standardError)")
        let core = try store()
        for _ in 0..<2 {
            let result = try report(core)
            #expect(result.ending == .exited(1))
            #expect(result.standardError.contains("has reported this death itself"))
            #expect(try mark(core) == "none")
            // The second time, the dump is a report.
            _ = try dumpConvert("process", "--database", database)
        }
    }
}
