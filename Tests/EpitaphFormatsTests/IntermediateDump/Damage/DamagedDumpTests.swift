// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// No input may trap: a trap would end the whole test run. What comes out must also be bounded by
/// what goes in.
@Suite("Damaged dumps")
struct DamagedDumpTests {
    /// In a whole sweep the samples are damaged at every byte; a dump with more in it at fewer
    /// places, so that the suite stays quick.
    private static func places(in bytes: [UInt8]) -> [Int] {
        let lines = DumpTree(reading: ByteSlice(bytes)).text.utf8.count { $0 == UInt8(ascii: "\n") }
        let placeCount = max(50, 600_000 / max(lines, 1))
        let all = stride(from: 0, to: bytes.count, by: max(1, bytes.count / placeCount))
        return Sweep.sample(all, oneOf: 11)
    }

    /// Reads bytes in every way there is; checks what must hold for any bytes.
    private func read(_ slice: ByteSlice) -> IntermediateDump? {
        guard let dump = try? IntermediateDump(slice) else { return nil }
        let snapshot = dump.snapshot
        let bytesHeld =
            snapshot.memory.reduce(0) { $0 + $1.bytes.count }
            + snapshot.threads.reduce(0) { $0 + ($1.stack?.bytes.count ?? 0) }
        // Not #expect: it would be most of the time that thousands of reads take.
        if !dump.isComplete, dump.tree.damage.isEmpty { Issue.record("cut without damage") }
        if snapshot.memory.contains(where: \.bytes.isEmpty) { Issue.record("empty memory") }
        if bytesHeld > slice.count { Issue.record("more bytes come out than go in") }
        return dump
    }

    @Test("A dump cut at any length keeps a prefix of its threads", arguments: Fixture.all)
    func cut(fixture: Fixture) {
        let whole = ByteSlice(fixture.bytes)
        guard let complete = read(whole) else {
            Issue.record("the fixture cannot be read")
            return
        }
        let threadIDs = complete.snapshot.threads.map(\.id)
        var earlierCount = 0
        for length in Self.places(in: fixture.bytes) {
            guard let cut = read(whole.slice(from: 0, length: length)) else { continue }
            if cut.isComplete || !threadIDs.starts(with: cut.snapshot.threads.map(\.id)) {
                Issue.record("cut after \(length) bytes: \(cut.snapshot.threads.map(\.id))")
            }
            if cut.snapshot.threads.count < earlierCount {
                Issue.record("cut after \(length) bytes: fewer threads than in a shorter cut")
            }
            earlierCount = cut.snapshot.threads.count
        }
    }

    @Test("A dump with a flipped byte anywhere is read", arguments: Fixture.all)
    func flip(fixture: Fixture) {
        var bytes = fixture.bytes
        var readable = 0
        for place in Self.places(in: bytes) {
            // All bits of every third byte, one bit of the others, another for each.
            let pattern: UInt8 = place % 3 == 0 ? 0xff : 1 << UInt8(place % 8)
            bytes[place] ^= pattern
            if read(ByteSlice(bytes)) != nil { readable += 1 }
            bytes[place] ^= pattern
        }
        // Only the first 27 bytes, with version and architecture, can make a dump unusable.
        #expect(readable >= Self.places(in: bytes).count - 27)
    }

    @Test("Random mutations are read", arguments: Fixture.small)
    func mutations(fixture: Fixture) {
        var random = SplitMix64(state: 0x5eed)
        for _ in 0..<Sweep.count(1500, oneOf: 10) {
            var bytes = fixture.bytes
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                mutate(&bytes, using: &random)
            }
            _ = read(ByteSlice(bytes))
        }
    }

    private func mutate(_ bytes: inout [UInt8], using random: inout SplitMix64) {
        guard bytes.count > 1 else { return }
        // The first 27 bytes stay, or most mutants would be turned away at the door.
        let place = Int.random(in: min(27, bytes.count - 1)..<bytes.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes[place] = UInt8.random(in: 1...7, using: &random)
        case 2: bytes.removeSubrange(place..<min(place + 20, bytes.count))
        case 3: bytes.insert(contentsOf: bytes[..<min(place, 64)], at: place)
        default:
            let other = Int.random(in: 0..<bytes.count, using: &random)
            let length = min(16, bytes.count - max(place, other))
            bytes.replaceSubrange(place..<place + length, with: bytes[other..<other + length])
        }
    }

    @Test("Random bytes after a valid header are read")
    func noise() {
        var random = SplitMix64(state: 7)
        let header = Array(SampleDumps.x86_64[..<27])
        for _ in 0..<Sweep.count(500, oneOf: 5) {
            let noise = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
            let commands = (0..<200).map { _ in UInt8.random(in: 0...7, using: &random) }
            _ = read(ByteSlice(header + noise))
            _ = read(ByteSlice(header + commands))
        }
    }
}

/// Steele, Lea, Flood: Fast splittable pseudorandom number generators (OOPSLA 2014).
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
