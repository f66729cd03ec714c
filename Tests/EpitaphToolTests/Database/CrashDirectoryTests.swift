// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// `dump-convert process --pending`
@Suite struct CrashDirectoryTests {
    private static let id = "0b11b5a6-7c2d-4e8f-9a1b-2c3d4e5f6071"
    private let sample: SampleDatabase
    private let crashes: TemporaryDirectory

    init() throws {
        sample = try SampleDatabase()
        crashes = try TemporaryDirectory()
    }

    private func process(_ directory: String? = nil) throws -> Subprocess {
        try dumpConvert(
            "process", "--database", sample.path, "--pending", directory ?? crashes.path)
    }

    private func files(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    @Test("Dumps of both directories become reports")
    func both() throws {
        let other = Epitaph.ID().description
        try crashes.write(try Sample.dump(), to: "org.example.d@\(Self.id)")
        try sample.leaveDump(try Sample.dump(), named: "org.example.d@\(other)")
        let result = try process()
        #expect(result.exitStatus == 0)
        let lines = result.standardOutput.split(separator: "\n").map(String.init).sorted()
        let expected = [Self.id, other].map { "\($0) org.example.d@\($0)" }.sorted()
        #expect(lines == expected)
        #expect(try files(in: crashes.path).isEmpty)
        #expect(try sample.files(in: "pending-dumps").isEmpty)
    }

    @Test("Without the option the directory is not looked at")
    func unasked() throws {
        try crashes.write(try Sample.dump(), to: "org.example.d@\(Self.id)")
        #expect(try dumpConvert("process", "--database", sample.path).standardOutput == "")
        #expect(try files(in: crashes.path).count == 1)
    }

    @Test("The database's own directory, named once more, is looked at once")
    func same() throws {
        try sample.leaveDump(try Sample.dump(), named: "org.example.d@\(Self.id)")
        let result = try process(sample.path + "/pending-dumps")
        #expect(result.standardOutput == "\(Self.id) org.example.d@\(Self.id)\n")
    }

    @Test("A directory that others may write to is refused before anything is converted")
    func writableForOthers() throws {
        try crashes.write(try Sample.dump(), to: "org.example.d@\(Self.id)")
        try sample.leaveDump(
            try Sample.dump(), named: "org.example.d@\(Epitaph.ID().description.uppercased())")
        chmod(crashes.path, 0o1777)
        let result = try process()
        result.expectFailure(1, saying: "other users may write to it")
        #expect(try sample.files(in: "pending-dumps").count == 1)
        chmod(crashes.path, 0o700)
    }

    @Test(
        "Dumps of one user do not get into another's database",
        .enabled(if: OtherUser.canBeHad, "\(OtherUser.comment)"))
    func otherOwner() throws {
        try crashes.write(try Sample.dump(), to: "org.example.d@\(Self.id)")
        try OtherUser.own(crashes.path)
        let result = try process()
        result.expectFailure(1, saying: "it belongs to another user than the database")
        #expect(try files(in: crashes.path).count == 1)
    }

    @Test("A directory that is missing is said to be")
    func missing() throws {
        let result = try process("/none/such")
        #expect(result.exitStatus != 0)
        #expect(result.standardError.contains("there is no directory /none/such"))
    }

    /// Nil where all of the machine's directories are on one file system.
    private static let otherFileSystem: String? = {
        var (here, there) = (stat(), stat())
        guard stat(NSTemporaryDirectory(), &here) == 0, stat("/dev/shm", &there) == 0,
            here.st_dev != there.st_dev, access("/dev/shm", W_OK) == 0
        else { return nil }
        return "/dev/shm"
    }()

    @Test(
        "A dump on another file system is put aside in the database after three attempts",
        .enabled(if: otherFileSystem != nil, "there is no second file system to write to"))
    func quarantine() throws {
        let place =
            try #require(Self.otherFileSystem) + "/epitaph-\(Epitaph.ID().description.uppercased())"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: place) }
        chmod(place, 0o700)
        let bytes = Data("no dump at all".utf8)
        try bytes.write(to: URL(fileURLWithPath: place + "/org.example.d@\(Self.id)"))
        for _ in 0..<3 { _ = try process(place) }
        #expect(try files(in: place).isEmpty)
        let aside = sample.path + "/quarantine/org.example.d@\(Self.id)"
        #expect(FileManager.default.contents(atPath: aside) == bytes)
    }
}
