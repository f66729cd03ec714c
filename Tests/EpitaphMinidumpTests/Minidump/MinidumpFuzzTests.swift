// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphMinidump

@Suite("Minidumps damaged by chance")
struct MinidumpFuzzTests {
    private static let roundsPerFile = Sweep.count(250, oneOf: 5)
    /// Values that lengths, counts and offsets go wrong with.
    private static let edges: [UInt32] = [
        0, 1, 3, 7, 0x7fff_ffff, 0x8000_0000, 0xffff_fff0, .max - 1, .max,
    ]

    @Test(
        "Our own, with bits flipped, words replaced and ends cut, never trap",
        arguments: ["greeter-x86_64", "greeter-aarch64"])
    func own(name: String) throws {
        let path = Products.fixture("minidumps/\(name).dmp")
        fuzz([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
    }

    @Test(
        "Those of others never do either",
        .enabled(if: ForeignMinidumps.arePresent, Comment(rawValue: ForeignMinidumps.absence)),
        arguments: ForeignMinidumps.names)
    func foreign(name: String) throws {
        fuzz(try ForeignMinidumps.bytes(name))
    }

    /// Always the same damage: a failure can be run again.
    private func fuzz(_ whole: [UInt8]) {
        var random = Dice(state: UInt64(whole.count) &* 2_862_933_555_777_941_757)
        for round in 0..<Self.roundsPerFile {
            var bytes = whole
            for _ in 0..<1 + random.roll(8) { damage(&bytes, &random) }
            if round % 5 == 0 { bytes.removeLast(random.roll(bytes.count)) }
            do {
                let contents = try MinidumpReader.read(ByteSlice(bytes))
                #expect(contents.readingDamage.allSatisfy { !$0.subject.isEmpty })
                #expect(contents.readingDamage.allSatisfy { !$0.reason.isEmpty })
                // Whatever was read can be written.
                _ = MinidumpWriter(snapshot: contents.snapshot, reportID: nil, clientID: nil)
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
    }

    private func damage(_ bytes: inout [UInt8], _ random: inout Dice) {
        // Most of what matters is in the directory and in the first records.
        let reach = random.roll(3) == 0 ? bytes.count : min(bytes.count, 512)
        let place = random.roll(reach)
        guard random.roll(2) == 0, place + 4 <= bytes.count else {
            bytes[place] ^= 1 << UInt8(random.roll(8))
            return
        }
        let word =
            random.roll(3) == 0
            ? UInt32(random.roll(bytes.count)) : Self.edges[random.roll(Self.edges.count)]
        let aligned = place / 4 * 4
        for index in 0..<4 { bytes[aligned + index] = UInt8(word >> (8 * index) & 0xff) }
    }
}

/// Knuth's MMIX generator.
private struct Dice {
    var state: UInt64

    mutating func roll(_ sides: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % max(sides, 1)
    }
}
