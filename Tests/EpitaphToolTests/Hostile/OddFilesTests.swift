// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("dump-convert and files that are something else")
struct OddFilesTests {
    private static let id = "11111111-2222-4333-8444-555555555555"

    @Test(
        "show and list say what a filed file is that is no minidump",
        arguments: [
            ([], "empty"), (Array("{\"a\": 1}\nmore".utf8), "text that begins with \"{\"a\": 1}\""),
            ([0x1f, 0x8b, 8, 0, 0], "compressed by gzip"),
            ([UInt8](repeating: 0, count: 4_096), "begin with zeros"),
            ([0xff, 0xfe, 0, 1, 2, 3, 4, 5, 6], "9 bytes that begin with ff fe 00 01 02 03 04 05"),
            (
                [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9) + [4, 0],
                "a core dump"
            ),
        ] as [([UInt8], String)])
    func filed(bytes: [UInt8], words: String) throws {
        let sample = try SampleDatabase()
        try sample.file(bytes, id: Self.id)
        for arguments in [["show"], ["show", Self.id], ["show", "--raw"]] {
            let result = try dumpConvert(arguments + ["--database", sample.path])
            #expect(result.ending == .exited(1))
            #expect(result.standardOutput == "")
            #expect(
                result.standardError.hasPrefix(
                    "dump-convert: the report \(sample.path)/pending/\(Self.id).dmp holds no minidump: it is "
                ))
            #expect(result.standardError.contains(words))
        }
        let list = try dumpConvert("list", "--database", sample.path)
        list.expectFailure(
            1, saying: "\(Self.id).dmp cannot be read: it is not a minidump but ", words)
    }

    @Test("show --raw prints the tree of a dump without a process, and says why there is no more")
    func rawWithoutProcess() throws {
        let directory = try TemporaryDirectory()
        let whole = try Sample.dump()
        // Up to the architecture: no launch record, no crash.
        let path = try directory.write(Array(whole[..<0x1a]), to: "cut")
        let result = try dumpConvert("show", "--raw", path)
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput.hasPrefix("intermediate dump, 26 bytes, incomplete\n"))
        #expect(result.standardOutput.contains("ARCHITECTURE (10001) u16 62"))
        #expect(result.standardError.contains("say nothing about a process"))
        #expect(try dumpConvert("show", path).ending == .exited(1))
    }

    @Test("list of an armed database that has nothing yet says how many dumps wait")
    func armed() throws {
        let directory = try TemporaryDirectory()
        let pending = directory.path("pending-dumps")
        try FileManager.default.createDirectory(
            atPath: pending, withIntermediateDirectories: false)
        func leave(_ name: String) throws {
            try directory.write([], to: "pending-dumps/com.example.d@\(Epitaph.ID())\(name)")
        }
        try leave(".locked")
        let none = try dumpConvert("list", "--database", directory.path)
        #expect(none.ending == .exited(0))
        #expect(none.standardOutput == "")
        #expect(
            none.standardError
                == "dump-convert: there is no report in \(directory.path) yet; no dump waits, 1 is of "
                + "a process that may still run\n")
        for ending in ["", "", ".converting-1"] { try leave(ending) }
        let three = try dumpConvert("list", "--json", "--database", directory.path)
        #expect(three.ending == .exited(0))
        #expect(three.standardOutput.contains("\"reports\" : ["))
        #expect(
            three.standardError.contains("yet; 3 dumps wait for \"dump-convert process\", 1 is of"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["pending-dumps"]
        )
    }

    @Test("upload with nothing but dumps that are no reports yet says so, dry or not")
    func uploadOfDumps() throws {
        let sample = try SampleDatabase()
        try sample.leaveDump(Sample.dump(), named: "com.example.d@\(Self.id)")
        let options = ["--database", sample.path, "--url", "http://127.0.0.1:9/"]
        for more in [["--once"], ["--dry-run"], ["--dry-run", "--once"]] {
            let result = try dumpConvert(["upload"] + options + more)
            #expect(result.ending == .exited(0))
            #expect(
                result.standardError
                    == "dump-convert: no report is pending\ndump-convert: 1 dump waits for "
                    + "\"dump-convert process\", which turns dumps into reports\n")
        }
        let json = try dumpConvert(["upload", "--json", "--once"] + options)
        #expect(json.standardOutput.contains("\"waitingDumps\":1"))
        // A database of dumps alone, of which a dry run makes nothing.
        let armed = try TemporaryDirectory()
        try armed.makeDirectory("pending-dumps")
        try armed.write([1], to: "pending-dumps/com.example.d@\(Self.id)")
        let dry = try dumpConvert(
            "upload", "--dry-run", "--database", armed.path, "--url", "http://127.0.0.1:9/")
        #expect(dry.ending == .exited(0))
        #expect(dry.standardError.contains("1 dump waits"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: armed.path) == ["pending-dumps"])
    }
}
