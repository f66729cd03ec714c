// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// Dumps that wait outside of the database.
@Suite struct CrashDirectoryTests {
    private let directory: TemporaryDirectory
    private let crashes: String

    init() throws {
        directory = try TemporaryDirectory()
        crashes = directory.path("crashes")
    }

    private func die(
        _ settings: String..., way: String = "null-write", crashes: String? = nil,
        umask: String = "022"
    ) throws -> Subprocess {
        let program = [
            Victim.c.path, directory.path("db"), way, "0",
            "crashes=\(crashes ?? self.crashes)",
        ]
        return try Subprocess.run(
            ["sh", "-c", "umask \(umask); exec \"$@\"", "sh"] + program + settings)
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    private func dumps() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: crashes)
    }

    @Test("The dump is in the directory, for its owner alone, and not in the database")
    func place() throws {
        #expect(try die().ending == .signalled(SIGSEGV))
        let name = try #require(try dumps().first)
        #expect(try dumps().count == 1 && !name.hasSuffix(".locked"))
        #expect(try mode(crashes) == 0o700)
        #expect(try mode(crashes + "/" + name) == 0o600)
        #expect(!FileManager.default.fileExists(atPath: directory.path("db/pending-dumps")))
    }

    @Test("The directory's group can read the dump if asked for, whatever the umask says")
    func group() throws {
        #expect(try die("mode=0640", umask: "077").ending == .signalled(SIGSEGV))
        let name = try #require(try dumps().first)
        #expect(try mode(crashes + "/" + name) == 0o640)
    }

    @Test("The file of a process that runs is readable for the group too, and so are later ones")
    func allFiles() throws {
        // The child makes its file while its crash is captured.
        let ending = try die("mode=0640", way: "forked-child", umask: "077").ending
        #expect(ending == .exited(40 + SIGSEGV))
        #expect(try dumps().count == 2)
        for name in try dumps() { #expect(try mode(crashes + "/" + name) == 0o640) }
    }

    @Test(
        "What is no place for dumps is refused in a sentence, and no file is made",
        arguments: [
            (0o720, "other users may write to it"), (0o702, "other users may write to it"),
            (0o1777, "other users may write to it"),
        ])
    func writableForOthers(mode: Int, reason: String) throws {
        try FileManager.default.createDirectory(
            atPath: crashes, withIntermediateDirectories: false)
        chmod(crashes, mode_t(mode))
        let result = try die()
        #expect(result.ending == .exited(70))
        #expect(
            result.standardError
                == "dumps cannot wait in the crash directory \(crashes): \(reason)\n")
        #expect(try dumps().isEmpty)
    }

    @Test(
        "A directory of another user is refused",
        .enabled(if: OtherUser.canBeHad, "\(OtherUser.comment)"))
    func otherOwner() throws {
        try FileManager.default.createDirectory(
            atPath: crashes, withIntermediateDirectories: false)
        try OtherUser.own(crashes)
        let result = try die()
        #expect(result.ending == .exited(70))
        #expect(result.standardError.contains("it belongs to another user than the database"))
        #expect(try dumps().isEmpty)
    }

    @Test(
        "Root makes and changes no directory for another user's database",
        .enabled(if: OtherUser.canBeHad, "\(OtherUser.comment)"))
    func databaseOfAnother() throws {
        try FileManager.default.createDirectory(
            atPath: directory.path("db"), withIntermediateDirectories: false)
        try OtherUser.own(directory.path("db"))
        #expect(try die().ending == .exited(70))
        #expect(!FileManager.default.fileExists(atPath: crashes))
        try FileManager.default.createDirectory(
            atPath: crashes, withIntermediateDirectories: false)
        #expect(try die().ending == .exited(70))
        var status = stat()
        #expect(stat(crashes, &status) == 0 && status.st_uid == 0)
    }

    @Test(
        "Options that cannot be are refused",
        arguments: [
            ("crashes", "mode=0600", "options.crash_directory: give an absolute path"),
            ("/none/such", "mode=0600", "cannot open the crash directory /none/such"),
            ("", "mode=0600", "options.crash_directory: give an absolute path"),
            ("/tmp/unused", "mode=0644", "options.crash_file_mode: give 0600 or 0640"),
            ("/tmp/unused", "mode=0200", "options.crash_file_mode: give 0600 or 0640"),
        ])
    func refusals(path: String, mode: String, sentence: String) throws {
        let result = try die(mode, crashes: path)
        #expect(result.ending == .exited(70))
        #expect(result.standardError.hasPrefix(sentence))
    }

    @Test("In the database no group can be let in")
    func modeWithoutDirectory() throws {
        let result = try Subprocess.run([
            Victim.c.path, directory.path("db"), "null-write", "0", "mode=0640",
        ])
        #expect(result.ending == .exited(70))
        #expect(result.standardError.hasPrefix("options.crash_file_mode: a group can read dumps"))
    }

    @Test("Old dumps there make room for new ones, as in the database")
    func caps() throws {
        for _ in 0..<4 { #expect(try die("dumps=2").ending == .signalled(SIGSEGV)) }
        let sealed = try dumps().filter { $0.contains("@") }
        #expect(sealed.count == 2)
    }
}
