// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@testable import EpitaphMinidump

@Suite("The breadcrumbs of a minidump")
struct BreadcrumbsStreamTests {
    static let stream = 0x4570_0001

    static let breadcrumbs: [Breadcrumb] = {
        var slow = Breadcrumb(
            number: 41, timeNanoseconds: 1_700_000_099_500_000_001,
            uptimeNanoseconds: 98_500_000_002, level: .warning, category: "größe",
            message: "GET /orders took 3 s\n")
        slow.isCut = true
        return [
            slow,
            Breadcrumb(number: 43, timeNanoseconds: .max, level: .fatal, message: ""),
            Breadcrumb(number: .max, timeNanoseconds: 0, uptimeNanoseconds: 0, message: "\u{0}"),
        ]
    }()

    static let bytes: [UInt8] = {
        var snapshot = Samples.x86_64
        snapshot.breadcrumbs = breadcrumbs
        return minidump(of: snapshot)
    }()

    @Test("They come back as they were")
    func roundTrip() throws {
        let contents = try MinidumpReader.read(ByteSlice(Self.bytes))
        #expect(contents.snapshot.breadcrumbs == Self.breadcrumbs)
        #expect(contents.snapshot.annotations == Samples.x86_64.annotations)
        #expect(contents.readingDamage.isEmpty)
        #expect(contents.streams.contains { $0.type.description == "EpitaphBreadcrumbs" })
    }

    @Test("A count, and records of 36 bytes with the places of their texts")
    func layout() {
        let raw = RawMinidump(bytes: Self.bytes)
        let list = raw.offset(Self.stream)
        #expect(raw.stream(Self.stream).count == 4 + 3 * 36)
        #expect(raw.u32(list) == 3)
        #expect(raw.u64(list + 4) == 41)
        #expect(raw.u64(list + 12) == 1_700_000_099_500_000_001)
        #expect(raw.u64(list + 20) == 98_500_000_002)
        #expect(raw.slice(list + 28, 4) == [3, 1, 0, 0])
        #expect(raw.utf8(raw.u32(list + 32)) == "größe")
        #expect(raw.utf8(raw.u32(list + 36)) == "GET /orders took 3 s\n")
        // Of the second neither category nor message nor uptime.
        #expect(raw.slice(list + 40 + 16, 8) == [UInt8](repeating: 0xff, count: 8))
        #expect(raw.slice(list + 40 + 24, 12) == [5] + [UInt8](repeating: 0, count: 11))
    }

    @Test("Without any there is no stream")
    func none() throws {
        let contents = try MinidumpReader.read(ByteSlice(minidump(of: Samples.x86_64)))
        #expect(!contents.streams.contains { $0.type == .breadcrumbs })
        #expect(contents.snapshot.breadcrumbs.isEmpty)
    }

    /// The minidump with other bytes at some place of the list.
    private func read(_ place: Int, _ changed: [UInt8]) throws -> MinidumpContents {
        var bytes = Self.bytes
        let list = RawMinidump(bytes: bytes).offset(Self.stream)
        bytes.replaceSubrange((list + place)..<(list + place + changed.count), with: changed)
        return try MinidumpReader.read(ByteSlice(bytes))
    }

    @Test("A level that is not known is information, and said to be")
    func level() throws {
        let contents = try read(28, [9])
        #expect(contents.snapshot.breadcrumbs.first?.level == .info)
        #expect(
            contents.readingDamage.map(\.sentence) == [
                "breadcrumbs: level 9 is not known; taken as information"
            ])
    }

    @Test("One whose text is not in the file is left out, the others stay")
    func lostText() throws {
        let contents = try read(36, [0xff, 0xff, 0xff, 0xff])
        #expect(contents.snapshot.breadcrumbs.map(\.number) == [43, .max])
        #expect(contents.readingDamage.map(\.subject) == ["breadcrumbs"])
    }

    @Test("A count that the stream has no room for is as many as there are")
    func count() throws {
        let contents = try read(0, [0xff, 0xff, 0xff, 0xff])
        #expect(contents.snapshot.breadcrumbs == Self.breadcrumbs)
        #expect(
            contents.readingDamage.map(\.sentence) == [
                "breadcrumbs: 4294967295 entries announced, 3 are there"
            ])
    }

    @Test("A list without end is read up to a limit")
    func limit() throws {
        var snapshot = ProcessSnapshot(architecture: .aarch64)
        snapshot.breadcrumbs = (1...10_001).map {
            Breadcrumb(number: $0, timeNanoseconds: $0, message: "")
        }
        let contents = try MinidumpReader.read(ByteSlice(minidump(of: snapshot)))
        #expect(contents.snapshot.breadcrumbs.map(\.number) == Array(1...10_000))
        #expect(contents.readingDamage.map(\.reason) == ["there are more than 10000"])
    }
}
