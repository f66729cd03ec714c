// SPDX-License-Identifier: Apache-2.0

import EpitaphMinidump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Tests/Fixtures/scrubbed holds what became of the golden minidumps, and beside each file what was
/// said about it. Written anew with EPITAPH_RECORD_FIXTURES=1.
@Suite("The golden scrubbed minidumps")
struct GoldenScrubbingTests {
    private static let isRecording =
        ProcessInfo.processInfo.environment["EPITAPH_RECORD_FIXTURES"] == "1"

    @Test("are what scrubbing makes, byte for byte", arguments: Architecture.captured)
    func golden(architecture: Architecture) throws {
        let name = "greeter-\(architecture.name)"
        let scrubbed = try Scrubbed(try fixture(name)) {
            $0.annotations.denied = [KeyPattern("größe")]
            $0.memory = .stacks
            $0.sanitizesStacks = true
            $0.removedParts = [.limits, .maps, .threadNames]
        }
        let path = Products.fixture("scrubbed/\(name)")
        if Self.isRecording {
            try Data(scrubbed.bytes).write(to: URL(fileURLWithPath: path + ".dmp"))
            try text(of: scrubbed).write(toFile: path + ".txt", atomically: true, encoding: .utf8)
        }
        let golden = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + ".dmp")))
        let difference = zip(scrubbed.bytes, golden).enumerated().first { $1.0 != $1.1 }?.offset
        #expect(difference == nil)
        #expect(scrubbed.bytes.count == golden.count)
        #expect(try text(of: scrubbed) == String(contentsOfFile: path + ".txt", encoding: .utf8))
    }

    private func text(of scrubbed: Scrubbed) throws -> String {
        let contents = try scrubbed.contents()
        let summary = scrubbed.summary
        var lines = summary.removals.map { "removed: " + $0 }
        lines += [
            "kept: \(summary.keptAnnotationCount) annotations",
            "kept: \(summary.keptMemoryRegionCount) memory regions "
                + "(\((summary.keptMemoryByteCount + 1_023) / 1_024) KiB)",
        ]
        lines += contents.streams.map { "stream \($0.type) \($0.byteCount)" }
        lines += contents.snapshot.annotations.map { "annotation \($0.name) = \($0.value)" }
        return lines.map { $0 + "\n" }.joined()
    }
}
