// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("dump-convert and the reports of a database")
struct DatabaseTests {
    private static let first = "11111111-2222-4333-8444-555555555555"
    private static let second = "11111111-ffff-4333-8444-555555555555"

    @Test("list prints a line for each report, with the program last")
    func list() throws {
        let sample = try SampleDatabase()
        try sample.file(Sample.minidump(program: "/usr/bin/a b"), id: Self.first)
        let attempt = try sample.database.beginUpload(
            of: sample.file(Sample.minidump(), id: Self.second))
        try attempt.recordSuccess(serverID: "x")

        let result = try dumpConvert("list", "--database", sample.path)
        #expect(result.ending == .exited(0))
        #expect(result.standardError == "")
        let lines = result.standardOutput.split(separator: "\n").map(String.init)
        #expect(
            lines.first
                == "ID                                    TIME                  SIGNAL   "
                + "STATE    TRIES  PROGRAM")
        #expect(
            Set(lines.dropFirst()) == [
                "\(Self.first)  2026-08-22T03:14:07Z  SIGSEGV  pending  0      /usr/bin/a b",
                "\(Self.second)  2026-08-22T03:14:07Z  SIGSEGV  sent     1      /usr/bin/served",
            ])
    }

    @Test("The environment names the database when the command line does not")
    func environment() throws {
        let sample = try SampleDatabase()
        try sample.file(Sample.minidump(), id: Self.first)
        let variables = ["EPITAPH_DATABASE": sample.path]
        #expect(try dumpConvert("list", environment: variables).standardOutput.contains(Self.first))
        let other = try SampleDatabase()
        let result = try dumpConvert("list", "--database", other.path, environment: variables)
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput == "")
    }

    @Test("Looking at a database without reports makes no directory; process does")
    func looking() throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("pending-dumps")
        for (command, status) in [("list", Int32(0)), ("show", 3)] {
            let result = try dumpConvert(command, "--database", directory.path)
            #expect(result.ending == .exited(status))
            #expect(result.standardOutput == "")
            #expect(
                result.standardError
                    == "dump-convert: there is no report in \(directory.path) yet; no dump waits\n"
            )
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: directory.path)
                    == ["pending-dumps"])
        }
        #expect(try dumpConvert("process", "--database", directory.path).ending == .exited(0))
        let none = try dumpConvert("list", "--database", directory.path)
        #expect(none.ending == .exited(0))
        #expect(none.standardError == "dump-convert: there is no report in \(directory.path)\n")
    }

    @Test("A list that its options leave empty says so")
    func noMatch() throws {
        let sample = try SampleDatabase()
        try sample.file(Sample.minidump(), id: Self.first)
        let none = try dumpConvert("list", "--database", sample.path, "--state", "sent")
        #expect(none.ending == .exited(0) && none.standardOutput == "")
        #expect(
            none.standardError
                == "dump-convert: no report in \(sample.path) matches these options\n")
    }

    @Test("A report that cannot be read is listed, and told of")
    func brokenReport() throws {
        let sample = try SampleDatabase()
        try sample.file(Array("garbage".utf8), id: Self.first)
        let result = try dumpConvert("list", "--database", sample.path)
        #expect(result.ending == .exited(1))
        #expect(result.standardOutput.contains(Self.first))
        #expect(result.standardError.contains("\(Self.first).dmp cannot be read"))
    }

    @Test(
        "show takes an id, the beginning of one, or latest",
        arguments: [first, "11111111-22", "11111111-2222-4333-8444-55555555555", "latest", nil])
    func show(word: String?) throws {
        let sample = try SampleDatabase()
        try sample.file(Sample.minidump(), id: Self.first)
        let result = try dumpConvert(
            ["show", "--database", sample.path] + (word.map { [$0] } ?? []))
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput.hasPrefix("served "))
    }

    @Test("show says when an id is unknown, when it is not unique, and when there is no report")
    func unknown() throws {
        let sample = try SampleDatabase()
        let none = try dumpConvert("show", "--database", sample.path)
        #expect(none.ending == .exited(3))
        #expect(none.standardError.hasPrefix("dump-convert: there is no report in \(sample.path)"))

        try sample.file(Sample.minidump(), id: Self.first)
        try sample.file(Sample.minidump(), id: Self.second)
        let ambiguous = try dumpConvert("show", "--database", sample.path, "1111")
        #expect(ambiguous.ending == .exited(1))
        #expect(
            ambiguous.standardError
                == "dump-convert: 2 reports begin with 1111, give more of the id: "
                + "\(Self.first), \(Self.second)\n")
        let unknown = try dumpConvert("show", "--database", sample.path, "abc")
        #expect(unknown.ending == .exited(3))
        #expect(
            unknown.standardError
                == "dump-convert: there is no report abc in \(sample.path); \"dump-convert list\" "
                + "lists its reports\n")
        let noDatabase = try dumpConvert(["show", "abc"], on: machineWithoutDatabases)
        #expect(noDatabase.ending == .exited(3))
        #expect(
            noDatabase.standardError
                == "dump-convert: cannot open abc: No such file or directory; for a report of that "
                + "id, name the database with --database DIR\n")
    }

    @Test("show takes a file even when there is a database")
    func file() throws {
        let sample = try SampleDatabase()
        let result = try dumpConvert("show", "--database", sample.path, Sample.dumpPath)
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput.hasPrefix("orderd "))
    }

    @Test(
        "A database that is not there is an error of its own",
        arguments: ["process", "list", "show", "upload"])
    func missing(command: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("none")
        let result = try dumpConvert(
            [command, "--database", path], environment: ["EPITAPH_UPLOAD_URL": "http://[::1]:9/"])
        #expect(result.ending == .exited(3))
        #expect(
            result.standardError
                == "dump-convert: cannot open the database \(path): No such file or directory\n")
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(
        "A directory that is clearly something else is left alone", arguments: ["process", "list"])
    func otherDirectory(command: String) throws {
        let directory = try TemporaryDirectory()
        try directory.write([1], to: "photo.jpg")
        let result = try dumpConvert(command, "--database", directory.path)
        result.expectFailure(3, saying: "\(directory.path) is not a crash report database")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["photo.jpg"])
    }

    @Test("A database behind a symbolic link is opened")
    func symbolicLink() throws {
        let sample = try SampleDatabase()
        try sample.file(Sample.minidump(), id: Self.first)
        let link = sample.directory.path("link")
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: sample.path)
        let result = try dumpConvert("list", "--database", link)
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput.contains(Self.first))
    }
}
