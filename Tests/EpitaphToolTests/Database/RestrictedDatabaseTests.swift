// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphTestSupport
import Foundation
import Testing

/// A database that may be read and not changed, or not even that.
@Suite("dump-convert and a database it may not change")
struct RestrictedDatabaseTests {
    private static let id = "11111111-2222-4333-8444-555555555555"

    let sample: SampleDatabase

    init() throws {
        sample = try SampleDatabase()
        try sample.file(Sample.minidump(), id: Self.id)
        try sample.database.updateSettings { $0.uploadsEnabled = true }
    }

    /// Runs the program where the database's file system is mounted for reading only: in a mount
    /// namespace, which goes with it.
    private func readOnly(_ arguments: [String]) throws -> Subprocess {
        let script = """
            mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" || exit 79
            exec "$@"
            """
        return try Subprocess.run(
            ["unshare", "-m", "sh", "-c", script, sample.path]
                + [Products.executable("dump-convert")] + arguments,
            environment: ["EPITAPH_DATABASE": sample.path, "EPITAPH_UPLOAD_URL": ""])
    }

    /// Runs the program, copied to where every user can reach it, as the user `nobody`. Another
    /// process copies it, because a file that any process has open for writing cannot be executed.
    private func nobody(_ arguments: String...) throws -> Subprocess {
        chmod(sample.directory.path, 0o711)
        let script = """
            cp "$0" "$1" && chmod 755 "$1" || exit 79
            exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
            """
        return try Subprocess.run(
            ["sh", "-c", script, Products.executable("dump-convert")]
                + [sample.directory.path("dump-convert")] + arguments,
            environment: ["EPITAPH_DATABASE": sample.path, "EPITAPH_UPLOAD_URL": ""])
    }

    @Test("A read-only database is listed, shown and asked for its settings")
    func reading() throws {
        for command in ["list", "show", "settings"] {
            let result = try readOnly([command])
            #expect(result.ending == .exited(0), "\(result.standardError)")
            #expect(result.standardError == "")
        }
        #expect(try readOnly(["list"]).standardOutput.contains(Self.id))
        #expect(try readOnly(["list", "--group"]).standardOutput.contains(Self.id))
        #expect(try readOnly(["settings"]).standardOutput.hasPrefix("uploads: on\n"))
        #expect(try readOnly(["prune", "--max-count", "1", "--dry-run"]).ending == .exited(0))
    }

    @Test("What would change a read-only database says so, and what to do")
    func changing() throws {
        let commands = [
            ["settings", "--disable-uploads"], ["prune", "--max-size", "1"],
            ["upload", "--disable"],
        ]
        for arguments in commands {
            let result = try readOnly(arguments)
            #expect(result.ending == .exited(1), "\(arguments)")
            #expect(result.standardError.contains("Read-only file system"))
            #expect(result.standardError.contains("make the file system writable"))
        }
        #expect(try sample.database.settings().uploadsEnabled)
    }

    @Test("A database of another user says whose it should be")
    func otherUser() throws {
        let result = try nobody("list")
        result.expectFailure(3, saying: sample.path, "Permission denied")
    }

    @Test("Metadata and settings that may not be read are told of, and are not taken for broken")
    func unreadable() throws {
        for name in ["", "/new", "/pending", "/completed", "/attachments"] {
            chmod(sample.path + name, 0o755)
        }
        let list = try nobody("list")
        list.expectFailure(
            1, saying: "\(Self.id).meta: Permission denied",
            "run this as the user whose database it is")
        let settings = try nobody("settings")
        settings.expectFailure(1, saying: "settings.dat: Permission denied")
        #expect(try sample.files(in: "pending").count == 2)
    }
}
