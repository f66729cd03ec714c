// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("dump-convert list with options that choose reports")
struct ListFilterTests {
    private static func id(_ number: Int) -> String {
        "\(number)\(number)111111-2222-4333-8444-555555555555"
    }

    private let sample: SampleDatabase

    /// A segmentation fault of nginx, an abort of another nginx an hour later, a hang of redis another
    /// hour later.
    init() throws {
        sample = try SampleDatabase()
        var fault = Sample.snapshot(program: "/usr/sbin/nginx")
        fault.annotations = [
            Annotation(name: "ver", value: "1"), Annotation(name: "role", value: "edge"),
        ]
        fault.launch = LaunchRecord()
        fault.launch?.bundleID = "org.nginx"
        try sample.file(Sample.minidump(fault), id: Self.id(1))
        var abort = Sample.snapshot(program: "/opt/nginx")
        abort.exception?.signal = 6
        abort.annotations = [Annotation(name: "ver", value: "2=a")]
        abort.process.snapshotTime = Timestamp(secondsSince1970: 1_787_368_447 + 3600)
        try sample.file(Sample.minidump(abort), id: Self.id(2))
        var hang = Sample.snapshot(program: "/usr/bin/redis-server")
        hang.exception = nil
        hang.request = ReportRequest(kind: .hang)
        hang.process.snapshotTime = Timestamp(secondsSince1970: 1_787_368_447 + 7200)
        try sample.file(Sample.minidump(hang), id: Self.id(3))
    }

    private func listed(_ options: [String]) throws -> [Int] {
        let result = try dumpConvert(["list", "--database", sample.path] + options)
        #expect(result.ending == .exited(0), "\(result.standardError)")
        return result.standardOutput.split(separator: "\n").dropFirst().compactMap {
            Int(String($0.prefix(1)))
        }
    }

    @Test(
        "Each option leaves the reports it names",
        arguments: [
            (["--signal", "SIGSEGV"], [1]), (["--signal", "segv"], [1]), (["--signal", "6"], [2]),
            (["--signal", "hang"], [3]), (["--signal", "abrt", "--signal", "hang"], [2, 3]),
            (["--program", "nginx"], [1, 2]), (["--program", "/opt/nginx"], [2]),
            (["--program", "ngin"], []), (["--state", "pending"], [1, 2, 3]),
            (["--state", "sent", "--state", "requested"], []), (["--bundle-id", "org.nginx"], [1]),
            (["--annotation", "ver=1"], [1]), (["--annotation", "ver=2=a"], [2]),
            (["--annotation", "ver"], [1, 2, 3]), (["--annotation", "ver=3"], []),
            (["--annotation", "ver", "--annotation", "role=edge"], [1]),
            (["--limit", "2"], [2, 3]), (["--limit", "9"], [1, 2, 3]),
            (["--program", "nginx", "--limit", "1"], [2]),
            (["--program", "nginx", "--signal", "hang"], []),
        ] as [([String], [Int])])
    func choice(options: [String], expected: [Int]) throws {
        #expect(try listed(options) == expected)
    }

    @Test("Groups are made of the chosen reports, and --limit counts groups")
    func groups() throws {
        func counts(_ options: String...) throws -> [String] {
            try dumpConvert(["list", "--group", "--database", sample.path] + options)
                .standardOutput.split(separator: "\n").dropFirst().map {
                    String($0.split(separator: " ")[4])
                }
        }
        #expect(try counts() == ["nginx:", "nginx:", "redis-server:"])
        #expect(try counts("--signal", "segv") == ["nginx:"])
        #expect(try counts("--limit", "1") == ["redis-server:"])
    }

    @Test("Of a report that cannot be read nothing is known, so only a list of everything has it")
    func unreadable() throws {
        try sample.file(Array("garbage".utf8), id: Self.id(4))
        func result(_ options: String...) throws -> Subprocess {
            try dumpConvert(["list", "--database", sample.path] + options)
        }
        #expect(try result().standardOutput.contains(Self.id(4)))
        #expect(try result("--state", "pending").standardOutput.contains(Self.id(4)))
        for option in [["--signal", "segv"], ["--program", "x"], ["--annotation", "a"]] {
            let result = try dumpConvert(["list", "--database", sample.path] + option)
            #expect(!result.standardOutput.contains(Self.id(4)))
            result.expectFailure(1, saying: "cannot be read")
        }
    }

    @Test(
        "A value that cannot be meant is refused",
        arguments: [
            (["--signal", "SIGFOO"], "--signal takes a name such as SIGSEGV"),
            (["--signal", "99"], "--signal takes a name"),
            (["--state", "sent", "--state", "gone"], "--state takes pending, requested"),
            (["--state", "gone", "--state", "sent"], "--state takes pending, requested"),
            (["--annotation", "=x"], "--annotation takes NAME=VALUE or NAME, not \"=x\""),
            (["--limit", "0"], "--limit takes a whole number, at least 1"),
        ])
    func refused(options: [String], words: String) throws {
        let result = try dumpConvert(["list", "--database", sample.path] + options)
        result.expectFailure(2, saying: words)
    }
}

@Suite("dump-convert with several databases")
struct SeveralDatabasesTests {
    private let first: SampleDatabase
    private let second: SampleDatabase
    private static let ids = [
        "11111111-2222-4333-8444-555555555555", "11111112-2222-4333-8444-555555555555",
    ]

    init() throws {
        first = try SampleDatabase()
        second = try SampleDatabase()
        var later = Sample.snapshot()
        later.process.snapshotTime = Timestamp(secondsSince1970: 1_787_368_447 + 60)
        try first.file(Sample.minidump(later), id: Self.ids[0])
        try second.file(Sample.minidump(), id: Self.ids[1])
    }

    private var both: [String] { ["--database", first.path, "--database", second.path] }

    @Test("Their reports are one list in the order of the crashes, with the database of each")
    func list() throws {
        let result = try dumpConvert(["list"] + both)
        #expect(result.ending == .exited(0))
        let rows = result.standardOutput.split(separator: "\n").map {
            $0.split(separator: " ").map(String.init)
        }
        #expect(rows[0] == ["ID", "TIME", "SIGNAL", "STATE", "TRIES", "DATABASE", "PROGRAM"])
        #expect(rows.dropFirst().map { $0[0] } == [Self.ids[1], Self.ids[0]])
        #expect(rows.dropFirst().map { $0[5] } == [second.path, first.path])
    }

    @Test("Equal crashes of two databases are one group")
    func group() throws {
        let result = try dumpConvert(["list", "--group"] + both)
        let rows = result.standardOutput.split(separator: "\n")
        #expect(rows.count == 2)
        #expect(rows[1].hasPrefix("2 ") && rows[1].contains(Self.ids[0]))
    }

    @Test("JSON says which database a report is in")
    func json() throws {
        let text = try dumpConvert(["list", "--json"] + both).standardOutput
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let reports = try #require(object?["reports"] as? [[String: Any]])
        #expect(reports.compactMap { $0["database"] as? String } == [second.path, first.path])
    }

    @Test("One that cannot be opened does not keep the others from being listed")
    func missing() throws {
        let result = try dumpConvert(["list", "--database", "/nowhere"] + both)
        result.expectFailure(3, saying: "cannot open the database /nowhere")
        for id in Self.ids { #expect(result.standardOutput.contains(id)) }
    }

    @Test("latest is the last crash of all, and an id is found in each")
    func show() throws {
        func shown(_ words: String...) throws -> Subprocess {
            try dumpConvert(["show", "--json"] + both + words)
        }
        #expect(try shown().standardOutput.contains("2026-08-22T03:15:07"))
        #expect(try shown(Self.ids[1]).standardOutput.contains("2026-08-22T03:14:07"))
        let ambiguous = try shown("1111111")
        ambiguous.expectFailure(
            1, saying: "2 reports begin with 1111111", "\(Self.ids[1]) in \(second.path)")
        let none = try shown("2222")
        none.expectFailure(3, saying: "there is no report 2222 in \(first.path)")
    }

    @Test("A database that is named twice is read once")
    func twice() throws {
        let result = try dumpConvert(
            "list", "--database", first.path, "--database", first.path)
        #expect(result.standardOutput.split(separator: "\n").count == 2)
    }
}
