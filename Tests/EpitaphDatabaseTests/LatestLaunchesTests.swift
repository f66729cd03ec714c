// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphDatabase

/// What is kept for C of the launches; LastRunTests of CEpitaph read it there.
@Suite struct LatestLaunchesTests {
    private func launch(_ end: LaunchEnd, last: Int) -> RecordedLaunch {
        RecordedLaunch(
            id: Epitaph.ID(),
            process: ProcessIdentity(
                processID: 4711, startTicks: 123_456, pidNamespace: 4_026_531_836,
                bootID: Epitaph.ID()),
            start: Timestamp(secondsSince1970: 1_700_000_000), end: end,
            lastSign: Timestamp(secondsSince1970: 1_700_000_000 + Double(last)))
    }

    private func file(_ fixture: Fixture) -> [UInt8] {
        let path = fixture.path("launches/a@latest")
        return Array(FileManager.default.contents(atPath: path) ?? Data())
    }

    @Test("A launch lies where docs/database.md says")
    func layout() throws {
        var written = launch(.signalled(.sigterm), last: 42)
        written.hadMemoryWarning = true
        let bytes = LatestLaunches.bytes([written])
        #expect(bytes.count == 16 + 96 + 8)
        #expect(Array(bytes[..<16]) == Array("EPLR".utf8) + [1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])
        let record = Array(bytes[16..<112])
        func number(_ place: Int, _ width: Int) -> UInt64 {
            record[place..<place + width].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        #expect(record[..<16].elementsEqual(written.id.bytes))
        #expect(record[16..<32].allSatisfy { $0 == 0 })
        #expect(number(48, 8) == 123_456 && number(56, 8) == 4_026_531_836)
        #expect(number(64, 8) == 1_700_000_000_000_000)
        #expect(number(72, 8) == 1_700_000_042_000_000)
        #expect(number(80, 4) == 4_711 && number(84, 4) == 15)
        #expect(Array(record[88...]) == [3, 3, 0, 0, 0, 0, 0, 0])
    }

    @Test("The latest sixteen are kept, without children, and nothing changes when they are told")
    func kept() throws {
        let fixture = try Fixture()
        var child = launch(.killed, last: 90)
        child.isChild = true
        var launches = (0..<20).map { launch(.killed, last: $0) }
        launches.append(child)
        try fixture.database.record(launches, of: "a")
        let bytes = file(fixture)
        #expect(bytes.count == 16 + 16 * 96 + 8)
        #expect(Array(bytes[16..<32]) == launches[19].id.bytes)
        let path = fixture.path("launches/a@latest")
        let before = try inode(of: path)
        _ = try fixture.database.takeUntoldLaunches(of: "a", asker: nil)
        #expect(try inode(of: path) == before)
    }

    private func inode(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return attributes[.systemFileNumber] as? Int ?? 0
    }
}
