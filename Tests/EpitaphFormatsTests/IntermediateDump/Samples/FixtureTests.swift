// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// `EPITAPH_RECORD_FIXTURES=1 swift test --filter FixtureTests` writes the samples and the twins of
/// all dumps anew.
@Suite("Fixtures", .serialized)
struct FixtureTests {
    private static let isRecording =
        ProcessInfo.processInfo.environment["EPITAPH_RECORD_FIXTURES"] == "1"

    @Test("The samples are the committed bytes", arguments: SampleDumps.all.map(\.name))
    func samples(name: String) throws {
        let bytes = try #require(SampleDumps.all.first { $0.name == name }).bytes
        let path = "\(Fixture.directory)/\(name).dump"
        if Self.isRecording {
            try FileManager.default.createDirectory(
                atPath: Fixture.directory, withIntermediateDirectories: true)
            try Data(bytes).write(to: URL(fileURLWithPath: path))
        }
        #expect(FileManager.default.contents(atPath: path).map { Array($0) } == bytes)
    }

    @Test("A dump with a readable twin has the twin's tree", arguments: Fixture.all)
    func twins(fixture: Fixture) throws {
        let text = DumpTree(reading: ByteSlice(fixture.bytes)).text
        if Self.isRecording {
            try text.write(
                toFile: "\(Fixture.directory)/\(fixture.name).txt", atomically: true,
                encoding: .utf8)
        }
        guard let twin = fixture.twin else { return }
        #expect(text == twin)
    }

    @Test("Every fixture is a crash whose threads are known", arguments: Fixture.all)
    func crash(fixture: Fixture) throws {
        let dump = try IntermediateDump(ByteSlice(fixture.bytes))
        #expect(!dump.snapshot.threads.isEmpty)
    }
}
