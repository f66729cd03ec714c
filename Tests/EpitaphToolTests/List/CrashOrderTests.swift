// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// A hundred dumps of crashes of ten kinds, whose order in the directory differs from that of the
/// crashes.
private struct HundredCrashes {
    /// Signals whose crashes are of ten kinds.
    private static let signals: [UInt8] = [3, 4, 5, 6, 7, 8, 11, 24, 25, 31]
    // Of the sample, Tests/Fixtures/intermediate-dumps/sample-x86_64.txt: the values of SIGNAL_NUMBER
    // and SNAPSHOT_TIME, behind which the next record begins.
    private static let signalOffset = 0xed - 4
    private static let timeOffset = 0x30e - 16

    let sample: SampleDatabase
    /// In the order of the crashes.
    let ids: [String]

    init() throws {
        sample = try SampleDatabase()
        let dump = try Sample.dump()
        #expect(
            dump[Self.timeOffset..<Self.timeOffset + 8].elementsEqual(Self.bytes(1_763_703_600)))
        var ids: [String] = []
        for index in 0..<100 {
            // Three crashes in a microsecond; ten microseconds apart or three; over a second's end.
            let microsecond = 999_900 + index / 3 * 10
            var bytes = dump
            bytes[Self.signalOffset] = Self.signals[index % 10]
            bytes.replaceSubrange(
                Self.timeOffset..<Self.timeOffset + 16,
                with: Self.bytes(1_763_703_600 + microsecond / 1_000_000)
                    + Self.bytes(microsecond % 1_000_000))
            let id = Epitaph.ID().description
            let path = try sample.leaveDump(bytes, named: "com.example.d@\(id)")
            // The order of the dumps is that of their files.
            try FileManager.default.setAttributes(
                [
                    .modificationDate: (Timestamp(secondsSince1970: 1_763_703_600 + Double(index)))
                        .date
                ],
                ofItemAtPath: path)
            ids.append(id)
        }
        self.ids = ids
    }

    /// Files lie in the directory in another order than they were written; where they were written in
    /// another order than they happened, that must not matter either.
    func shuffleFiles() throws {
        for (index, id) in ids.enumerated() where index % 3 == 0 {
            try FileManager.default.setAttributes(
                [
                    .modificationDate: (Timestamp(secondsSince1970: 1_763_800_000 - Double(index)))
                        .date
                ],
                ofItemAtPath: sample.path + "/pending-dumps/com.example.d@\(id)")
        }
    }

    private static func bytes(_ number: Int) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}

@Suite("dump-convert and the order of crashes")
struct CrashOrderTests {
    private func ids(_ result: Subprocess) -> [String] {
        result.standardOutput.split(separator: "\n").compactMap { line in
            line.split(separator: " ").first.flatMap { Epitaph.ID(String($0)) }
        }.map { $0.description }
    }

    @Test("Of a hundred crashes of ten kinds filed in one pass, latest, list and prune are right")
    func oneHundred() throws {
        let crashes = try HundredCrashes()
        let database = ["--database", crashes.sample.path]
        #expect(try dumpConvert(["process", "--all"] + database).ending == .exited(0))

        let list = try dumpConvert(["list"] + database)
        #expect(ids(list) == crashes.ids)
        let signals = list.standardOutput.split(separator: "\n").dropFirst().prefix(10)
            .map { $0.split(separator: " ")[2] }
        #expect(
            signals == [
                "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV", "SIGXCPU",
                "SIGXFSZ", "SIGSYS",
            ])
        let json = try dumpConvert(["list", "--json"] + database)
        #expect(json.standardOutput.contains("\"time\" : \"2025-11-21T05:40:00.9999Z\"") == false)
        #expect(json.standardOutput.contains("2025-11-21T05:40:00.999900Z"))
        #expect(json.standardOutput.contains("2025-11-21T05:40:01.000230Z"))

        var left = crashes.ids
        for count in [77, 40, 2, 1] {
            let latest = try dumpConvert(["show", "latest", "--json"] + database)
            #expect(latest.standardOutput.contains(try #require(left.last).lowercased()))
            let pruned = try dumpConvert(["prune", "--max-count", "\(count)"] + database)
            #expect(ids(pruned) == left.dropLast(count))
            left.removeFirst(left.count - count)
            #expect(ids(try dumpConvert(["list"] + database)) == left)
        }
    }

    @Test("In whatever order they were filed, by the crash's time they are in order")
    func anyOrder() throws {
        let crashes = try HundredCrashes()
        try crashes.shuffleFiles()
        let database = ["--database", crashes.sample.path]
        #expect(try dumpConvert(["process", "--all"] + database).ending == .exited(0))
        let listed = ids(try dumpConvert(["list"] + database))
        // Of those in one microsecond the files' order decides; all others are where they were.
        let place = Dictionary(uniqueKeysWithValues: zip(crashes.ids, 0...))
        #expect(listed.map { (place[$0] ?? 0) / 3 } == (0..<100).map { $0 / 3 })
    }
}
