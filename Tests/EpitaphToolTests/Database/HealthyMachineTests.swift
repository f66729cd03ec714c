// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("dump-convert on a machine where nothing is wrong")
struct HealthyMachineTests {
    private static let timed = [
        ["process"], ["list"], ["list", "--group"], ["prune"], ["stats"],
        ["upload", "--url", "http://127.0.0.1:9/"],
    ]

    @Test("Nothing crashed yet", arguments: timed)
    func nothing(command: [String]) throws {
        let sample = try SampleDatabase()
        #expect(try dumpConvert(command + ["--database", sample.path]).ending == .exited(0))
    }

    @Test("The directory exists, and nothing more", arguments: timed)
    func empty(command: [String]) throws {
        let directory = try TemporaryDirectory()
        #expect(try dumpConvert(command + ["--database", directory.path]).ending == .exited(0))
    }

    @Test("Uploads are off, and a report is there", arguments: timed)
    func uploadsOff(command: [String]) throws {
        let sample = try SampleDatabase()
        try sample.file(Sample.minidump(), id: "11111111-2222-4333-8444-555555555555")
        #expect(try dumpConvert(command + ["--database", sample.path]).ending == .exited(0))
    }

    @Test("show says that dumps wait, among which a later crash may be")
    func hint() throws {
        let sample = try SampleDatabase()
        try sample.file(Sample.minidump(), id: "11111111-2222-4333-8444-555555555555")
        try sample.leaveDump(
            try Sample.dump(), named: "org.example@22222222-2222-4333-8444-555555555555")
        let latest = try dumpConvert("show", "--database", sample.path)
        #expect(latest.ending == .exited(0))
        #expect(latest.standardError.contains("1 dump waits for \"dump-convert process\""))
        let named = try dumpConvert("show", "--database", sample.path, "1111")
        #expect(!named.standardError.contains("waits"))
    }
}
