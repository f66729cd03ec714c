// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@testable import EpitaphMinidump

@Suite("A minidump that would be too large")
struct MinidumpLimitTests {
    @Test("drops memory from the end and says so")
    func memory() throws {
        let snapshot = Samples.x86_64
        let whole = minidump(of: snapshot).count
        let limit = UInt64(whole - 1_000)
        let writer = MinidumpWriter(
            snapshot: snapshot, reportID: nil, clientID: nil, limit: limit)
        #expect(writer.byteCount <= limit)
        let dropped = try #require(writer.damage.last)
        #expect(dropped.stage == .writing)
        #expect(
            dropped.sentence == "memory: 1 ranges with 4096 bytes do not fit into a minidump")
        var sink = ByteBuilder()
        writer.write(to: &sink)
        #expect(UInt64(sink.count) == writer.byteCount)
        let contents = try MinidumpReader.read(ByteSlice(sink.bytes))
        #expect(contents.readingDamage.isEmpty)
        #expect(contents.snapshot.damage.last == dropped)
        // The vdso's image was least wanted.
        #expect(contents.snapshot.modules.last?.image == nil)
        #expect(contents.snapshot.threads.compactMap(\.stack).count == 2)
    }

    @Test("stays within any limit, and readable while its lists fit")
    func anyLimit() throws {
        let snapshot = Samples.x86_64
        let whole = minidump(of: snapshot).count
        for limit in stride(from: 300, to: whole, by: 131) {
            let writer = MinidumpWriter(
                snapshot: snapshot, reportID: nil, clientID: nil, limit: UInt64(limit))
            var sink = ByteBuilder()
            writer.write(to: &sink)
            #expect(sink.count <= limit)
            #expect(writer.damage.contains { $0.stage == .writing })
            _ = try? MinidumpReader.read(ByteSlice(sink.bytes))
        }
    }

    @Test("drops what does not fit into 32-bit offsets instead of wrapping")
    func fourGiB() {
        // One owner's 16 MiB in 300 places: 4.7 GiB of memory contents without that much memory.
        let block = ByteSlice([UInt8](repeating: 0x5a, count: 1 << 24))
        var snapshot = Samples.x86_64
        snapshot.memory = (0..<300).map {
            MemoryRegion(address: 0x1_0000_0000 + UInt64($0) << 25, bytes: block)
        }
        let writer = MinidumpWriter(snapshot: snapshot, reportID: nil, clientID: nil)
        #expect(writer.byteCount <= UInt64(UInt32.max))
        #expect(writer.byteCount > UInt64(UInt32.max) - 1 << 25)
        #expect(writer.damage.last?.subject == "memory")
        var sink = CountingSink()
        writer.write(to: &sink)
        #expect(sink.byteCount == writer.byteCount)
        #expect(sink.largestAppend <= 1 << 20)
    }
}

private struct CountingSink: ByteSink {
    var byteCount: UInt64 = 0
    var largestAppend = 0

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(Never) {
        byteCount += UInt64(bytes.count)
        largestAppend = max(largestAppend, bytes.count)
    }
}
