// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphMinidump

@Suite("The time of a crash, read alone")
struct MinidumpTimeTests {
    private func time(_ bytes: [UInt8]) -> Timestamp? {
        MinidumpTime.read { offset, count in
            guard offset < bytes.count else { return [] }
            return Array(bytes[offset..<min(bytes.count, offset + count)])
        }
    }

    @Test(
        "It is that of the whole reading, to the microsecond",
        arguments: [1_787_368_447.0, 1_787_368_447.000_001, 1_787_368_447.999_999, 0.25])
    func sameTime(seconds: Double) throws {
        var snapshot = Samples.x86_64
        snapshot.process.snapshotTime = Timestamp(secondsSince1970: seconds)
        // One of the program's own of that name counts no more than it does there.
        snapshot.annotations.append(Annotation(name: "epitaph_snapshot_time_us", value: "12"))
        let bytes = minidump(of: snapshot)
        let whole = try MinidumpReader.read(ByteSlice(bytes)).snapshot.process.snapshotTime
        #expect(time(bytes) == whole)
    }

    @Test("Without an annotation it is the header's, and without that it is not known")
    func header() {
        var file = HandMadeMinidump()
        file.addThread()
        var bytes = file.bytes.array
        #expect(time(bytes) == nil)
        bytes.replaceSubrange(20..<24, with: [1, 0, 0, 0])
        #expect(time(bytes) == Timestamp(secondsSince1970: 1))
    }

    @Test("Any bytes may come in, cut anywhere")
    func hostile() {
        #expect(time([]) == nil)
        #expect(time(Array("no minidump, but long enough to be one".utf8)) == nil)
        let bytes = minidump(of: Samples.x86_64)
        for count in stride(from: 0, to: min(bytes.count, 6_000), by: 7) {
            _ = time(Array(bytes[..<count]))
        }
        var random = SplitMix(state: 10)
        for _ in 0..<2_000 {
            var broken = bytes
            for _ in 0..<4 {
                broken[Int.random(in: 4..<3_000, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            _ = time(broken)
        }
    }
}
