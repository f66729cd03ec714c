// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("dump-convert process")
struct ProcessTests {
    private static let id = "11111111-2222-4333-8444-555555555555"
    private static let good = "com.example.d@\(id)"
    private static let empty = "com.example.d@22222222-2222-4333-8444-555555555555"
    private static let garbage = "com.example.d@33333333-2222-4333-8444-555555555555"
    private static let directory = "com.example.d@44444444-2222-4333-8444-555555555555"

    let sample: SampleDatabase

    init() throws {
        sample = try SampleDatabase()
    }

    @Test("A database without dumps is nothing to do, whether pending-dumps is there or not")
    func nothing() throws {
        for _ in 0..<2 {
            let result = try dumpConvert("process", "--database", sample.path)
            #expect(result.ending == .exited(0))
            #expect(result.standardOutput == "")
            #expect(result.standardError == "")
            try FileManager.default.createDirectory(
                atPath: sample.path + "/pending-dumps", withIntermediateDirectories: true)
        }
    }

    @Test("An empty directory is a database without reports")
    func emptyDirectory() throws {
        let directory = try TemporaryDirectory()
        let result = try dumpConvert("process", "--database", directory.path)
        #expect(result.ending == .exited(0))
        #expect(result.standardError == "")
    }

    @Test("A dump becomes a pending report of the same id, and is gone")
    func oneDump() throws {
        try sample.leaveDump(Sample.dump(), named: Self.good)
        let result = try dumpConvert("process", "--database", sample.path)
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput == "\(Self.id) \(Self.good)\n")
        #expect(result.standardError == "")
        #expect(try sample.files(in: "pending-dumps") == [])
        #expect(try sample.files(in: "pending") == ["\(Self.id).dmp", "\(Self.id).meta"])
        #expect(
            try dumpConvert("show", "--database", sample.path).standardOutput.contains(
                "\n  Signal      SIGSEGV (SEGV_MAPERR): address not mapped to object\n"))
    }

    @Test("A dump that another process works on is told of as such; with --all it is missing")
    func busy() throws {
        let path = try sample.leaveDump(Sample.dump(), named: Self.good)
        let holder = try LockHolder(.wholeFile, on: path)
        let some = try dumpConvert("process", "--database", sample.path)
        #expect(some.ending == .exited(0))
        let all = try dumpConvert("process", "--all", "--database", sample.path)
        #expect(all.ending == .exited(1))
        for result in [some, all] {
            #expect(result.standardOutput == "")
            #expect(
                result.standardError == """
                    dump-convert: 1 dump is being converted by another process; run this \
                    again if it is still there later

                    """)
        }
        holder.end()
        #expect(try dumpConvert("process", "--all", "--database", sample.path).ending == .exited(0))
    }

    @Test("Afterwards the database is within bounds, which may be others, and that is told")
    func bounds() throws {
        for number in 1...4 {
            try sample.leaveDump(
                Sample.dump(), named: "com.example.d@\(number)1111111-2222-4333-8444-555555555555")
        }
        let result = try dumpConvert(
            "process", "--max-count", "3", "--database", sample.path)
        #expect(result.ending == .exited(0))
        #expect(
            result.standardError == """
                dump-convert: 1 report was removed: there were more than 3 (--max-count)
                dump-convert: 1 of these had not been sent

                """)
        #expect(try sample.files(in: "pending").count == 6)
        #expect(
            try dumpConvert("process", "--max-count", "0", "--database", sample.path)
                .standardError == "")
        #expect(try sample.files(in: "pending").count == 6)
    }

    @Test("Each file that is no good dump is told of, stops no other, and is not lost")
    func badFiles() throws {
        try sample.leaveDump([], named: Self.empty)
        try sample.leaveDump(Array("garbage".utf8), named: Self.garbage)
        try sample.leaveDump([1], named: "READ\u{1b}ME")
        try sample.leaveDump(Sample.dump(), named: Self.good)
        try FileManager.default.createDirectory(
            atPath: "\(sample.path)/pending-dumps/\(Self.directory)",
            withIntermediateDirectories: false)

        let first = try dumpConvert("process", "--database", sample.path)
        #expect(first.ending == .exited(1))
        #expect(first.standardOutput == "\(Self.id) \(Self.good)\n")
        let sentences = first.standardError.split(separator: "\n")
        // The empty one is put aside at once.
        #expect(sentences.count == 5)
        #expect(first.standardError.contains("moved to \(sample.path)/quarantine/\(Self.empty)\n"))
        for (name, reason) in [
            (Self.empty, "the file is empty"), (Self.garbage, "not an intermediate dump"),
            (Self.directory, "a directory"), ("READ\\u{1b}ME", "is not a dump"),
        ] {
            #expect(
                sentences.contains { $0.contains(name) && $0.contains(reason) }, "\(name)")
        }
        #expect(!first.standardError.contains("\u{1b}"))

        _ = try dumpConvert("process", "--database", sample.path)
        let third = try dumpConvert("process", "--database", sample.path)
        #expect(third.ending == .exited(1))
        let garbage = "\(sample.path)/quarantine/\(Self.garbage)"
        #expect(third.standardError.contains("moved to \(garbage)\n"))
        #expect(try sample.files(in: "quarantine") == [Self.empty, Self.garbage])
        #expect(try sample.files(in: "pending-dumps") == ["READ\u{1b}ME", Self.directory].sorted())
    }

    @Test("How processes ended that left no crash is said in words, and so is what was given up")
    func ends() throws {
        // VERSION, ARCHITECTURE, LAUNCH_RECORD with LAUNCH_PID alone; CLEAN_EXIT and the end.
        let record: [UInt8] =
            [6, 5, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]
            + [5, 0x11, 0x27, 2, 0, 0, 0, 0, 0, 0, 0, 62, 0]
            + [1, 0x74, 0x27, 5, 0x75, 0x27, 4, 0, 0, 0, 0, 0, 0, 0, 0x67, 0x12, 0, 0, 2]
        let mark: [UInt8] =
            [5, 0x7e, 0x27, 16, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 16) + [7]
        for digit in 1...3 {
            try sample.leaveDump(
                record + mark, named: "d@\(digit)1111111-2222-4333-8444-555555555555.locked")
        }
        try sample.leaveDump(record, named: "e@11111111-2222-4333-8444-555555555555.locked")
        // DISPLACED_HANDLERS: SIGSEGV by 0x401000, SIGABRT by the default action.
        let displaced: [UInt8] =
            [3, 0xf6, 0x27]
            + [1, 5, 0xf7, 0x27, 4, 0, 0, 0, 0, 0, 0, 0, 11, 0, 0, 0]
            + [5, 0xf8, 0x27, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0x40, 0, 0, 0, 0, 0, 2]
            + [1, 5, 0xf7, 0x27, 4, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0]
            + [5, 0xf8, 0x27, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 4]
        try sample.leaveDump(
            record + displaced + mark, named: "f@11111111-2222-4333-8444-555555555555.locked")
        try sample.leaveDump([0x2e, 0x2e], named: "e.dropped")
        let result = try dumpConvert("process", "--database", sample.path)
        #expect(result.ending == .exited(0))
        #expect(result.standardOutput == "")
        #expect(
            Set(result.standardError.split(separator: "\n").map(String.init)) == [
                "dump-convert: 3 processes of d ended well",
                "dump-convert: a process of e ended without a crash record",
                "dump-convert: a process of f ended well; other code had replaced handlers "
                    + "(SIGSEGV by 0x401000, SIGABRT by the default action), so crashes "
                    + "by these would not have been recorded",
                "dump-convert: e.dropped: 2 dumps were removed, or not written at all, to stay "
                    + "under the limits for waiting dumps",
            ])
        #expect(try sample.files(in: "pending-dumps") == [])
    }

    @Test("--limit leaves the rest for the next run, and --all takes it")
    func limit() throws {
        for digit in 1...5 {
            try sample.leaveDump(
                Sample.dump(), named: "d@\(digit)1111111-2222-4333-8444-555555555555")
        }
        let two = try dumpConvert("process", "--database", sample.path, "--limit", "2")
        #expect(two.ending == .exited(0))
        #expect(two.standardOutput.split(separator: "\n").count == 2)
        #expect(two.standardError.contains("3 more dumps wait for the next run"))
        let rest = try dumpConvert("process", "--database", sample.path, "--all")
        #expect(rest.standardOutput.split(separator: "\n").count == 3)
        #expect(rest.standardError == "")
    }

    @Test("A report is filed even when nobody can read the line about it")
    func fullDiskBehindStandardOutput() throws {
        try sample.leaveDump(Sample.dump(), named: Self.good)
        let process = try Subprocess.spawn(
            [Products.executable("dump-convert"), "process", "--database", sample.path],
            output: "/dev/full")
        #expect(Subprocess.wait(for: process, deadlineSeconds: 30) == .exited(1))
        #expect(try sample.files(in: "pending").contains("\(Self.id).dmp"))
    }
}
