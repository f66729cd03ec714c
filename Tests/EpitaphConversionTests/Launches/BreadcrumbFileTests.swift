// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// The reader of breadcrumb files against bytes that are made here, by docs/breadcrumb-file.md.
@Suite struct BreadcrumbFileTests {
    /// A file of 1,024 bytes of data.
    private struct Sample {
        var header = [UInt8](repeating: 0, count: 256)
        var data = [UInt8](repeating: 0, count: 1024)
        var next: UInt64 = 0

        init() {
            header.replaceSubrange(0..<8, with: Array("EPIBRCRM".utf8))
            put(1, 8, 4)
            put(256, 12, 4)
            put(1024, 16, 8)
            put(4711, 24, 4)
            put(123, 32, 8)
            for index in 40..<56 { header[index] = UInt8(index) }
            put(99, 56, 8)
            put(1_700_000_000_000_000_000, 64, 8)
            put(5_000, 72, 8)
        }

        mutating func put(_ value: UInt64, _ place: Int, _ size: Int) {
            for index in 0..<size {
                header[place + index] = UInt8(truncatingIfNeeded: value >> (8 * index))
            }
        }

        static func checksum(_ parts: [[UInt8]]) -> UInt64 {
            var sum: UInt64 = 0x4550_4954_4252_4352
            for part in parts {
                for start in stride(from: 0, to: part.count, by: 8) {
                    var word: UInt64 = 0
                    for (index, byte) in part[start..<min(start + 8, part.count)].enumerated() {
                        word |= UInt64(byte) << (8 * index)
                    }
                    sum = (sum ^ word) &* 0x9e37_79b9_7f4a_7c15
                    sum ^= sum >> 32
                }
            }
            return sum
        }

        static func little(_ value: UInt64) -> [UInt8] {
            (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }

        /// As a writer does it; `isWritten` false for one that was killed before.
        mutating func add(_ message: String, category: String = "c", isWritten: Bool = true) {
            let (text, kind) = (Array(message.utf8), Array(category.utf8))
            let size = (40 + text.count + kind.count + 63) / 64 * 64
            let position = next
            next += UInt64(size)
            guard isWritten else { return }
            let counts: [UInt8] = [
                UInt8(truncatingIfNeeded: text.count), UInt8(text.count >> 8), UInt8(kind.count), 3,
                0, 0, 0, 0,
            ]
            let rest =
                Self.little(position) + Self.little(1_700_000_001_000_000_000)
                + Self.little(7_000) + counts
            let entry = Self.little(Self.checksum([rest, kind, text])) + rest + kind + text
            for (index, byte) in entry.enumerated() {
                data[(Int(position) + index) % data.count] = byte
            }
        }

        var bytes: ByteSlice {
            var copy = self
            copy.put(Self.checksum([Array(header[..<80])]), 80, 8)
            copy.put(next, 128, 8)
            copy.put(2, 136, 8)
            return ByteSlice(copy.header + copy.data)
        }
    }

    @Test("What was noted is read in its order, with the process that noted it")
    func reads() throws {
        var sample = Sample()
        for number in 1...5 { sample.add("step \(number)", category: "steps") }
        let file = try BreadcrumbFile(sample.bytes)
        #expect(file.breadcrumbs.map(\.message) == (1...5).map { "step \($0)" })
        #expect(file.breadcrumbs.map(\.number) == [1, 2, 3, 4, 5])
        #expect(file.breadcrumbs.first?.level == .warning)
        #expect(file.breadcrumbs.first?.category == "steps")
        #expect(file.breadcrumbs.first?.uptimeNanoseconds == 2_000)
        #expect(file.tornCount == 0)
        #expect(file.droppedCount == 2)
        #expect(file.process.processID == 4711 && file.process.startTicks == 123)
        #expect(file.launchTime == Timestamp(secondsSince1970: 1_700_000_000))
    }

    @Test("Around the end the oldest are gone, and what was written over half does not count")
    func wraps() throws {
        var sample = Sample()
        for number in 1...40 {
            sample.add("step \(number) " + String(repeating: "x", count: number * 3))
        }
        let file = try BreadcrumbFile(sample.bytes)
        let numbers = file.breadcrumbs.compactMap { Int($0.message.split(separator: " ")[1]) }
        #expect(numbers.last == 40)
        #expect(numbers == Array((40 - numbers.count + 1)...40))
        #expect(numbers.count >= 4 && file.tornCount == 0)
    }

    @Test("Half written breadcrumbs are left out and counted, wherever they are")
    func torn() throws {
        var sample = Sample()
        sample.add("lost", isWritten: false)
        sample.add("one")
        sample.add("two")
        sample.data[64 + 41] ^= 1
        sample.add("three")
        sample.add("lost", isWritten: false)
        let file = try BreadcrumbFile(sample.bytes)
        #expect(file.breadcrumbs.map(\.message) == ["two", "three"])
        // The first two places are one gap.
        #expect(file.tornCount == 2)
        var empty = Sample()
        #expect(try BreadcrumbFile(empty.bytes).tornCount == 0)
        empty.add("lost", isWritten: false)
        #expect(try BreadcrumbFile(empty.bytes).tornCount == 1)
    }

    @Test("Another version, other files and cut ones are refused with the reason")
    func refused() throws {
        var sample = Sample()
        sample.add("one")
        sample.put(2, 8, 4)
        #expect(throws: BreadcrumbFileError.otherVersion(2)) { try BreadcrumbFile(sample.bytes) }
        sample.put(1, 8, 4)
        let bytes = sample.bytes.array
        #expect(throws: Never.self) { try BreadcrumbFile(ByteSlice(bytes)) }
        for length in [0, 7, 255, 256, bytes.count - 1] {
            #expect(throws: BreadcrumbFileError.self) {
                try BreadcrumbFile(ByteSlice(Array(bytes[..<length])))
            }
        }
        for place in [0, 12, 16, 24, 64, 80] {
            var damaged = bytes
            damaged[place] ^= 0x40
            #expect(throws: BreadcrumbFileError.self) {
                try BreadcrumbFile(ByteSlice(damaged))
            }
        }
    }

    @Test("Nothing traps, whatever the data")
    func noise() throws {
        var random = SplitMix(state: 5)
        for _ in 0..<300 {
            var sample = Sample()
            for number in 0..<12 { sample.add("message \(number)") }
            for _ in 0..<20 {
                let place = Int.random(in: 0..<sample.data.count, using: &random)
                sample.data[place] = UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) {
                sample.next = UInt64.random(in: 0...UInt64.max, using: &random)
            }
            _ = try BreadcrumbFile(sample.bytes)
        }
    }
}
