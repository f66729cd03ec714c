// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Testing

@testable import EpitaphMinidump

@Suite("Bytes nobody should trust")
struct HostileMinidumpTests {
    /// Small, so that every cut and flip is quick: no vdso image.
    static let small: [UInt8] = {
        var snapshot = Samples.x86_64
        for index in snapshot.modules.indices { snapshot.modules[index].image = nil }
        snapshot.threads = Array(snapshot.threads.prefix(3))
        snapshot.breadcrumbs = BreadcrumbsStreamTests.breadcrumbs
        snapshot.keptStacks = KeptStacksStreamTests.kept
        return minidump(of: snapshot)
    }()

    @Test("A minidump cut at any length is read as far as it goes, or refused in words")
    func cuts() throws {
        var shown = 0
        let whole = ByteSlice(Self.small)
        let lengths = Sweep.sample(Self.small.indices, oneOf: 11)
        for length in lengths {
            do {
                let contents = try MinidumpReader.read(whole.slice(from: 0, length: length))
                shown += 1
                #expect(!contents.readingDamage.isEmpty, "cut at \(length)")
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
        // Only the header, the directory and the first stream are needed.
        #expect(shown > lengths.count * 9 / 10)
    }

    @Test("A cut in the memory contents loses those alone")
    func cutMemory() throws {
        let raw = RawMinidump(bytes: Self.small)
        let first = try #require(raw.memory.map(\.offset).min())
        let contents = try MinidumpReader.read(ByteSlice(Array(Self.small[..<(first + 8)])))
        #expect(contents.snapshot.threads.count == 3)
        #expect(contents.snapshot.modules.count == 3)
        #expect(contents.snapshot.crashingThread?.stack?.bytes.count == 8)
        #expect(contents.readingDamage.contains { $0.subject == "stack of thread 4711" })
    }

    @Test("Flipped bits anywhere never trap", arguments: [0x01, 0xff] as [UInt8])
    func flips(mask: UInt8) {
        var bytes = Self.small
        for index in Sweep.sample(bytes.indices, oneOf: 11) {
            bytes[index] ^= mask
            _ = try? MinidumpReader.read(ByteSlice(bytes))
            bytes[index] ^= mask
        }
    }

    @Test("Every word set to all ones, one at a time, never traps")
    func ones() {
        let words = stride(from: 0, to: Self.small.count - 4, by: 4)
        for index in Sweep.sample(words, oneOf: 5) {
            var bytes = Self.small
            for offset in 0..<4 { bytes[index + offset] = 0xff }
            _ = try? MinidumpReader.read(ByteSlice(bytes))
        }
    }

    @Test("What is not a minidump is refused with the reason", arguments: [0, 3, 4, 31, 400])
    func others(count: Int) {
        let bytes = [UInt8](repeating: 0x20, count: count)
        #expect(throws: MinidumpError.self) { try MinidumpReader.read(ByteSlice(bytes)) }
    }

    @Test("Empty input is called empty, a cut header cut")
    func reasons() {
        #expect(throws: MinidumpError.notAMinidump(reason: "it is empty")) {
            try MinidumpReader.read(.empty)
        }
        #expect(throws: MinidumpError.notAMinidump(reason: "it ends inside the header")) {
            try MinidumpReader.read(ByteSlice(Array(Self.small[..<20])))
        }
    }

    @Test("Of a processor whose registers are not known the rest is shown")
    func processor() throws {
        var bytes = Self.small
        let systemInfo = RawMinidump(bytes: bytes).offset(7)
        bytes[systemInfo] = 6
        let contents = try MinidumpReader.read(ByteSlice(bytes))
        #expect(contents.snapshot.architecture == .itanium)
        #expect(contents.snapshot.threads.count == 3)
        #expect(contents.snapshot.threads.allSatisfy { $0.registers == nil })
        #expect(
            contents.snapshot.crashingThread?.whyIncomplete
                == "registers of ia64 are not understood")
        #expect(contents.snapshot.crashingThread?.stack?.bytes.isEmpty == false)
        #expect(contents.snapshot.modules.count == 3)
        #expect(contents.snapshot.exception?.signal == 11)
        #expect(contents.readingDamage.map(\.subject) == ["registers"])
    }

    @Test("Without SystemInfo the size of the crash's registers tells the processor")
    func withoutSystemInfo() throws {
        var bytes = Self.small
        bytes[32] = 0  // the first directory entry becomes an unused one
        let contents = try MinidumpReader.read(ByteSlice(bytes))
        #expect(contents.snapshot.architecture == .x86_64)
        #expect(contents.snapshot.threads.count == 3)
        #expect(contents.readingDamage.map(\.subject) == ["SystemInfo"])
    }

    @Test("Thousands of modules that share one name cost no more than the file's size allows")
    func sharedNames() throws {
        var bytes = ByteBuilder()
        let nameByteCount = 200_000
        let moduleCount = 20_000
        let listOffset = 32 + 24 + 56
        let nameOffset = listOffset + 4 + 108 * moduleCount
        for word: UInt32 in [0x504d_444d, 0xa793, 2, 32, 0, 0, 0, 0] { bytes.append(word) }
        for word in [7, 56, 56, 4, 4 + 108 * moduleCount, listOffset] {
            bytes.append(UInt32(word))
        }
        bytes.append(UInt16(9))
        bytes.appendZeros(54)
        bytes.append(UInt32(moduleCount))
        for _ in 0..<moduleCount {
            bytes.appendZeros(20)
            bytes.append(UInt32(nameOffset))
            bytes.appendZeros(84)
        }
        bytes.append(UInt32(nameByteCount))
        bytes.append([UInt8](repeating: 0x41, count: nameByteCount))
        let contents = try MinidumpReader.read(ByteSlice(bytes.bytes))
        let named = contents.snapshot.modules.filter { !$0.path.isEmpty }
        #expect(contents.snapshot.modules.count == moduleCount)
        #expect(named.count <= 4 * bytes.count / nameByteCount)
        #expect(contents.readingDamage.count <= 1_001)
    }
}
