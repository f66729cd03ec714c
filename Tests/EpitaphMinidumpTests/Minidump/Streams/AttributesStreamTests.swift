// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@testable import EpitaphMinidump

@Suite("Types, attributes and tasks in a minidump")
struct AttributesStreamTests {
    private static let stream = 0x4570_0010

    private static func attribute(
        _ name: String, _ value: String, _ type: AttributeType = .string, isCut: Bool = false,
        isOfTask: Bool = false
    ) -> Annotation {
        var annotation = Annotation(name: name, value: value, type: type)
        annotation.isCut = isCut
        annotation.isOfTask = isOfTask
        return annotation
    }

    static let snapshot: ProcessSnapshot = {
        var snapshot = Samples.x86_64
        snapshot.annotations = [
            attribute("plain", "text"), attribute("count", "-17", .integer),
            attribute("long", "cut text", isCut: true),
            attribute("request", "42", .integer, isOfTask: true),
            attribute("ratio", "0.5", .number), attribute("on", "true", .boolean),
        ]
        var first = Breadcrumb(number: 1, timeNanoseconds: 5, message: "one")
        first.kind = "sql"
        first.attributes = [
            attribute("rows", "17", .integer), attribute("größe", "ü", isCut: true),
            attribute("", ""),
        ]
        var second = Breadcrumb(number: 2, timeNanoseconds: 6, message: "two")
        second.isOfTask = true
        snapshot.breadcrumbs = [first, second]
        snapshot.threads[snapshot.threads.count - 1].taskName = "worker 7"
        snapshot.threads[0].queueName = "com.example.queue"
        return snapshot
    }()

    @Test("They come back as they were")
    func roundTrip() throws {
        let contents = try MinidumpReader.read(ByteSlice(minidump(of: Self.snapshot)))
        #expect(contents.snapshot.annotations == Self.snapshot.annotations)
        #expect(contents.snapshot.breadcrumbs == Self.snapshot.breadcrumbs)
        let key = { (threads: [ThreadSnapshot]) in
            Dictionary(
                uniqueKeysWithValues: threads.map { ($0.id, [$0.taskName, $0.queueName]) })
        }
        #expect(key(contents.snapshot.threads) == key(Self.snapshot.threads))
        #expect(contents.readingDamage.isEmpty)
        #expect(contents.streams.contains { $0.type.description == "EpitaphAttributes" })
    }

    @Test("A count, and records of 16 bytes with the places of their texts")
    func layout() {
        let raw = RawMinidump(bytes: minidump(of: Self.snapshot))
        let list = raw.offset(Self.stream)
        #expect(raw.u32(list) == 5 + 4 + 2)
        #expect(raw.stream(Self.stream).count == 4 + 11 * 16)
        // "count" of the report: its value is in the list of annotations.
        #expect(raw.u32(list + 4) == 0)
        #expect(raw.slice(list + 8, 4) == [2, 0, 0, 0])
        #expect(raw.utf8(raw.u32(list + 12)) == "count")
        #expect(raw.u32(list + 16) == 0)
        // The kind of the first breadcrumb.
        let kind = list + 4 + 5 * 16
        #expect(raw.u32(kind) == 0x1000_0000)
        #expect(raw.slice(kind + 4, 4) == [0, 0, 0, 0])
        #expect(raw.u32(kind + 8) == 0 && raw.utf8(raw.u32(kind + 12)) == "sql")
    }

    @Test("Without any there is no stream")
    func none() throws {
        let contents = try MinidumpReader.read(ByteSlice(minidump(of: Samples.x86_64)))
        #expect(!contents.streams.contains { $0.type == .attributes })
    }

    @Test(
        "Records of what is not there, or of types that are not known, are skipped",
        arguments: [[9, 0, 0, 0x30], [0xff, 0xff, 0xff, 0x1f], [9, 0, 0, 0x20], [1, 0, 0, 0]]
            as [[UInt8]])
    func strange(_ owner: [UInt8]) throws {
        var bytes = minidump(of: Self.snapshot)
        let list = RawMinidump(bytes: bytes).offset(Self.stream)
        for record in 0..<11 {
            let place = list + 4 + record * 16
            bytes.replaceSubrange(place..<place + 4, with: owner)
        }
        let contents = try MinidumpReader.read(ByteSlice(bytes))
        #expect(contents.snapshot.annotations.allSatisfy { $0.type == .string })
        #expect(
            contents.snapshot.annotations.map(\.value) == Self.snapshot.annotations.map(\.value))
        #expect(contents.snapshot.breadcrumbs.allSatisfy { $0.attributes.isEmpty })
        #expect(contents.readingDamage.isEmpty)
    }
}
