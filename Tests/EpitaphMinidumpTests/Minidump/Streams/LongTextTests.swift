// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphMinidump

@Suite("Texts longer than other readers take")
struct LongTextTests {
    private static let long = String(repeating: "größer ", count: 500)

    private static var snapshot: ProcessSnapshot {
        var snapshot = Samples.x86_64
        snapshot.annotations = [
            Annotation(name: "prod", value: "greeter"),
            Annotation(name: "query", value: long),
            Annotation(name: "exactly", value: String(repeating: "x", count: 1_024)),
            Annotation(name: "query", value: "short"),
            Annotation(name: "query", value: long + "another"),
            Annotation(name: "last", value: String(repeating: "👩‍👩‍👧", count: 100)),
        ]
        snapshot.messages = [
            CrashMessage(source: "swift", text: "Fatal error: " + long),
            CrashMessage(source: "glibc", text: "malloc(): corrupted top size"),
        ]
        snapshot.modules[1].path = "/" + String(repeating: "läng/", count: 300) + "libhello.so.1"
        return snapshot
    }

    /// The second annotation of a name comes behind all others.
    private func filed(_ list: [Annotation]) -> [Annotation] {
        var names: Set<String> = []
        let isFirst = list.map { names.insert($0.name).inserted }
        return [true, false].flatMap { wanted in
            zip(list, isFirst).filter { $1 == wanted }.map(\.0)
        }
    }

    @Test("Our reader puts them back whole, each once and in its place")
    func roundTrip() throws {
        let written = Self.snapshot
        let read = try MinidumpReader.read(ByteSlice(minidump(of: written)))
        #expect(read.readingDamage.isEmpty)
        #expect(read.snapshot.annotations == filed(written.annotations))
        #expect(read.snapshot.messages == written.messages)
        #expect(read.snapshot.modules.map(\.path) == written.modules.map(\.path))
        #expect(read.reportID == Samples.reportID)
    }

    @Test("No text that Breakpad's processor reads is longer than it takes, and all are there")
    func strict() throws {
        let strict = try StrictMinidump(minidump(of: Self.snapshot))
        #expect(strict.annotations["prod"] == "greeter")
        #expect(strict.annotations["exactly"] == String(repeating: "x", count: 1_024))
        #expect(strict.annotations["message_2"] == "malloc(): corrupted top size")
        let cut = try #require(strict.annotations["query"])
        #expect(cut.hasPrefix("größer größer "))
        #expect(cut.hasSuffix("… (4500 bytes in all)"))
        #expect(!cut.contains("\u{fffd}"))
        // A family is cut as a whole.
        #expect(strict.annotations["last"]?.dropLast(22).allSatisfy { $0 == "👩‍👩‍👧" } == true)
        #expect(strict.moduleNames.count == 3)
        #expect(strict.moduleNames[1].hasPrefix("…/"))
        #expect(strict.moduleNames[1].hasSuffix("/läng/libhello.so.1"))
    }

    @Test("Without modules, and with a name too long itself, nothing else is lost")
    func bare() throws {
        var snapshot = Self.snapshot
        snapshot.modules = []
        let name = String(repeating: "n", count: 3_000)
        snapshot.annotations.append(Annotation(name: name, value: Self.long))
        let bytes = minidump(of: snapshot)
        #expect(try StrictMinidump(bytes).annotations["prod"] == "greeter")
        let read = try MinidumpReader.read(ByteSlice(bytes)).snapshot
        var expected = filed(snapshot.annotations)
        let cut = try #require(
            read.annotations.first { $0.name.hasSuffix("… (3000 bytes in all)") })
        let index = try #require(expected.firstIndex { $0.name == name })
        expected[index].name = cut.name
        #expect(read.annotations == expected)
    }

    @Test("An annotation that only looks cut is left as it is")
    func lookAlikes() throws {
        var snapshot = Samples.x86_64
        snapshot.annotations = [
            Annotation(name: "a", value: "… (5 bytes in all)"),
            Annotation(name: "b", value: String(repeating: "b", count: 900) + "… (9 bytes in all)"),
            Annotation(name: "epitaph_module_path", value: "/somewhere"),
        ]
        let read = try MinidumpReader.read(ByteSlice(minidump(of: snapshot))).snapshot
        #expect(read.annotations == snapshot.annotations)
        #expect(read.modules.map(\.path) == snapshot.modules.map(\.path))
    }

    @Test("A minidump cut anywhere behind its annotations still has them")
    func cut() throws {
        let bytes = minidump(of: Self.snapshot)
        let whole = try MinidumpReader.read(ByteSlice(bytes)).snapshot
        let end = try #require(StrictMinidump(bytes).annotationsEnd)
        for count in stride(from: end, to: min(bytes.count, end + 12_000), by: 997) {
            let read = try MinidumpReader.read(ByteSlice(Array(bytes[..<count]))).snapshot
            #expect(read.annotations.map(\.name) == whole.annotations.map(\.name))
        }
    }
}
