// SPDX-License-Identifier: Apache-2.0

import EpitaphMinidump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("Scrubbing damaged minidumps")
struct ScrubbingFuzzTests {
    private static let roundsPerFile = Sweep.count(150, oneOf: 5)
    /// Values that lengths, counts and offsets go wrong with.
    private static let edges: [UInt32] = [
        0, 1, 3, 7, 0x7fff_ffff, 0x8000_0000, 0xffff_fff0, .max - 1, .max,
    ]

    private func everything(_ rules: inout ScrubbingRules) {
        rules.annotations = KeyRules(
            allowed: [KeyPattern("prod")], denied: [KeyPattern("*token")])
        rules.memory = .crashingStack
        rules.sanitizesStacks = true
        rules.hidesHomeDirectories = true
        rules.removedParts = [.messages, .environment, .threadNames]
    }

    @Test("Our own, with bits flipped, words replaced and ends cut, never traps")
    func own() throws {
        try fuzz(plainMinidump(of: PrivateProcess.snapshot))
        try fuzz(try fixture("greeter-aarch64"))
    }

    @Test(
        "Those of others never do either",
        .enabled(if: ForeignMinidumps.arePresent, Comment(rawValue: ForeignMinidumps.absence)),
        arguments: ForeignMinidumps.names)
    func foreign(name: String) throws {
        try fuzz(try ForeignMinidumps.bytes(name))
    }

    /// Always the same damage: a failure can be run again.
    private func fuzz(_ whole: [UInt8]) throws {
        var random = SplitMix(state: UInt64(whole.count))
        for round in 0..<Self.roundsPerFile {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...8, using: &random) { damage(&bytes, &random) }
            if round % 5 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
            do {
                let scrubbed = try Scrubbed(bytes) { rules in
                    everything(&rules)
                    rules.keepsUnknown = round % 3 == 0
                }
                #expect(scrubbed.bytes.count == bytes.count)
                // What was readable still is, and what was to go is not there any more.
                let snapshot = try scrubbed.contents().snapshot
                #expect(
                    snapshot.annotations.allSatisfy {
                        $0.name.isEmpty || $0.name.lowercased() == "prod"
                            || ReportFacts.names.contains($0.name)
                    })
                #expect(snapshot.messages.allSatisfy { $0.text.isEmpty })
                #expect(snapshot.environment.isEmpty)
            } catch let error as ScrubbingError {
                #expect(error.description.contains("is not sent: "))
            }
        }
    }

    private func damage(_ bytes: inout [UInt8], _ random: inout SplitMix) {
        // Most of what matters is in the directory and in the first records.
        let reach = Bool.random(using: &random) ? bytes.count : min(bytes.count, 512)
        let place = Int.random(in: 0..<reach, using: &random)
        guard Bool.random(using: &random), place + 4 <= bytes.count else {
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            return
        }
        let word =
            Int.random(in: 0..<3, using: &random) == 0
            ? UInt32.random(in: 0..<UInt32(bytes.count), using: &random)
            : Self.edges[Int.random(in: 0..<Self.edges.count, using: &random)]
        let aligned = place / 4 * 4
        for index in 0..<4 where aligned + index < bytes.count {
            bytes[aligned + index] = UInt8(word >> (8 * index) & 0xff)
        }
    }

    @Test("What is no minidump is refused, and the refusal says that it is not sent")
    func refused() {
        for bytes in [[], Array("MDMP".utf8), [UInt8](repeating: 0x41, count: 4_096)] {
            let error = #expect(throws: ScrubbingError.self) {
                try Scrubbed(bytes) { $0.memory = .none }
            }
            #expect(
                error?.description.hasPrefix(
                    "the minidump cannot be scrubbed and is not sent: not a minidump: ") == true)
        }
    }

    @Test("A text to be removed that lies over the directory is refused")
    func overlap() throws {
        var file = ScrubbingSample()
        let list = file.place(words: [1, file.utf8("secret"), 40])
        file.add(
            0x4350_0001,
            words: [1] + [UInt32](repeating: 0, count: 8) + [12, list, 0, 0, 0, 0, 0])
        let error = #expect(throws: ScrubbingError.self) {
            try Scrubbed(file.bytes) { $0.annotations.denied = [KeyPattern("*")] }
        }
        #expect(error?.description.contains("overlap at offset 0x28") == true)
    }

    @Test("Memory to be removed that lies over a list is refused")
    func memoryOverlap() throws {
        var file = ScrubbingSample()
        file.add(3, words: [1, 5, 0, 0, 0, 0, 0, 0x2000, 0, 4_096, 0, 0, 0])
        #expect(throws: ScrubbingError.self) { try Scrubbed(file.bytes) { $0.memory = .none } }
    }

    @Test("Texts without number that begin alike are refused rather than looked for")
    func alike() throws {
        var snapshot = PrivateProcess.snapshot
        snapshot.annotations = (0..<300).map {
            Annotation(name: "a\($0)", value: "letters\($0)")
        }
        let error = #expect(throws: ScrubbingError.self) {
            try Scrubbed(snapshot) { $0.annotations.allowed = [] }
        }
        #expect(error?.description.contains("begin alike") == true)
    }

    @Test("A thousand lists that share their many entries are refused rather than followed")
    func shared() throws {
        var file = ScrubbingSample()
        let name = file.utf8(String(repeating: "n", count: 1_000))
        let entries = [UInt32](repeating: name, count: 2_000)
        let list = file.place(words: [1_000] + entries)
        let modules = (0..<1_000).map { (index: UInt32) in
            // Each list begins elsewhere, so none is known from before.
            file.place(words: [1, 0, 0, 8_004 - 4 * index, list + 4 * index, 0, 0])
        }
        let places: [UInt32] = modules.flatMap { [0, 28, $0] }
        let links = file.place(words: [1_000] + places)
        let zeros = [UInt32](repeating: 0, count: 10)
        file.add(0x4350_0001, words: [1] + zeros + [12_004, links, 0, 0, 0])
        #expect(throws: ScrubbingError.self) {
            try Scrubbed(file.bytes) { $0.annotations.denied = [KeyPattern("x")] }
        }
    }
}
