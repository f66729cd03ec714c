// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@testable import EpitaphMinidump

@Suite("Sampled allocations in a minidump")
struct HeapSamplingStreamTests {
    static func moment(_ id: UInt64, seed: UInt8) -> HeapMoment {
        var registers = X86Registers()
        (registers.rip, registers.rsp, registers.rbx) = (0x5555_5555_4200, 0x7f10_2000_0100, 7)
        var moment = HeapMoment()
        moment.time = 5_000_000 * id
        moment.threadID = id
        moment.threadName = "worker \(id)"
        moment.registers = .x86_64(registers)
        moment.stack = MemoryRegion(
            address: 0x7f10_2000_0100, bytes: Samples.bytes(256, seed: seed))
        var cut = Annotation(name: "tenant", value: "acme \(id)")
        cut.isCut = true
        moment.attributes = [Annotation(name: "request", value: "42", type: .integer), cut]
        return moment
    }

    static let heap: HeapSampling = {
        var freed = SampledBlock(address: 0x7f50_0000_2fc0, size: 64)
        freed.typeName = "app.Account"
        freed.alignment = 16
        freed.state = .freed
        freed.slot = 0x7f50_0000_1000..<0x7f50_0000_3000
        freed.allocated = moment(1, seed: 1)
        freed.freed = moment(2, seed: 2)
        var changing = SampledBlock(address: .max, size: .max)
        changing.state = .changing
        var heap = HeapSampling()
        heap.rate = 1000
        heap.sampledCount = 52_341
        heap.pool = 0x7f50_0000_0000..<0x7f50_0010_0000
        heap.now = 77_000_000
        heap.error = .overwritten
        heap.errorAddress = 0x7f50_0000_3000
        heap.errorBytes = [0x41, 0x42, 0]
        heap.blocks = [freed, changing]
        var told = HeapWords(error: "heap-overwrite")
        told.block = "64 bytes at 0x7f5000002fc0"
        told.allocatedBy = "fill at cache.c:12"
        heap.told = told
        return heap
    }()

    static let snapshot: ProcessSnapshot = {
        var snapshot = Samples.x86_64
        snapshot.heap = heap
        return snapshot
    }()

    @Test("They come back as they were, their words as annotations for other readers")
    func roundTrip() throws {
        let bytes = minidump(of: Self.snapshot)
        let contents = try MinidumpReader.read(ByteSlice(bytes))
        #expect(contents.snapshot.heap == Self.heap)
        #expect(contents.readingDamage.isEmpty)
        #expect(contents.snapshot.annotations == Self.snapshot.annotations)
        #expect(contents.streams.contains { $0.type.description == "EpitaphHeapSampling" })
        #expect(minidump(of: contents.snapshot) == bytes)
        let written = ReportAnnotations.encode(Self.snapshot).filter {
            $0.name.hasPrefix("epitaph_heap_")
        }
        #expect(
            written.map { "\($0.name)=\($0.value)" } == [
                "epitaph_heap_error=heap-overwrite",
                "epitaph_heap_block=64 bytes at 0x7f5000002fc0",
                "epitaph_heap_allocated_by=fill at cache.c:12",
            ])
    }

    @Test("A process that knows nothing comes back so")
    func nothing() throws {
        var snapshot = Samples.aarch64
        snapshot.heap = HeapSampling()
        let contents = try MinidumpReader.read(ByteSlice(minidump(of: snapshot)))
        #expect(contents.snapshot.heap == HeapSampling())
        #expect(
            try MinidumpReader.read(ByteSlice(minidump(of: Samples.x86_64))).snapshot.heap == nil)
    }

    @Test("A cut stream is damage, and the rest of the report is read")
    func cut() throws {
        let whole = minidump(of: Self.snapshot)
        let raw = RawMinidump(bytes: whole)
        let index = try #require(raw.directory.firstIndex { $0.type == 0x4570_0004 })
        let entry = raw.u32(12) + 12 * index
        for size in stride(from: 0 as UInt32, to: 400, by: 7) {
            var bytes = whole
            for (index, byte) in size.littleEndianBytes.enumerated() {
                bytes[entry + 4 + index] = byte
            }
            let contents = try MinidumpReader.read(ByteSlice(bytes))
            #expect(contents.snapshot.threads.count == Self.snapshot.threads.count)
            if size > 0, contents.snapshot.heap == nil {
                #expect(!contents.readingDamage.isEmpty)
            }
        }
    }

    @Test("A kept stack says of which moment it is")
    func keptStack() throws {
        var snapshot = Self.snapshot
        snapshot.keptStacks = KeptStacksStreamTests.kept
        snapshot.keptStacks?.stacks[1].moment = .init(block: 1, isFree: true)
        let contents = try MinidumpReader.read(ByteSlice(minidump(of: snapshot)))
        #expect(contents.snapshot.keptStacks == snapshot.keptStacks)
    }
}
