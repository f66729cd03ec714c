// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphValues
import Testing

@Suite("Sampled allocations in a dump")
struct HeapDecodingTests {
    private func heap(
        _ fill: (inout DumpBuilder) -> Void
    ) throws -> (HeapSampling?, [String]) {
        let snapshot = try SampleDumps.snapshot(machine: 62) { dump in
            dump.map(.heapSampling, fill)
        }
        return (snapshot.heap, snapshot.damage.map(\.sentence))
    }

    private static func moment(_ dump: inout DumpBuilder) {
        dump.add(.heapMomentTime, 5_000_000)
        dump.add(.threadID, 12)
        dump.add(.threadName, "worker")
        dump.add(.threadState, bytes: SampleDumps.x86Registers)
        dump.add(.stackRegionAddress, 0x7ffd_0000_1000 as UInt64)
        dump.add(.stackRegionData, bytes: [1, 2, 3, 4, 5, 6, 7, 8])
        dump.array(.scopeAttributes) {
            $0.map {
                $0.add(.annotationName, "request")
                $0.add(.annotationType, 2)
                $0.add(.annotationBits, 42)
            }
        }
    }

    private static func block(_ dump: inout DumpBuilder, at address: UInt64 = 0x7f00_0000_2fc0) {
        dump.add(.heapBlockAddress, address)
        dump.add(.heapBlockSize, 64)
        dump.add(.heapBlockAlignment, 16)
        dump.add(.heapBlockState, 2)
        dump.add(.heapSlotAddress, 0x7f00_0000_1000 as UInt64)
        dump.add(.heapSlotSize, 0x2000)
        dump.map(.heapAllocated, moment)
        dump.map(.heapFreed, moment)
    }

    @Test("All of it is read")
    func whole() throws {
        let (heap, damage) = try heap { dump in
            dump.add(.heapRate, 1000)
            dump.add(.heapSampled, 52_341)
            dump.add(.heapCaught, 2)
            dump.add(.heapPoolAddress, 0x7f00_0000_0000 as UInt64)
            dump.add(.heapPoolSize, 0x100_0000)
            dump.add(.heapNow, 9_000_000)
            dump.add(.heapError, 4)
            dump.add(.heapErrorAddress, 0x7f00_0000_3000 as UInt64)
            dump.add(.heapErrorBytes, bytes: [0x41, 0x42])
            dump.array(.heapBlocks) { $0.map { Self.block(&$0) } }
        }
        #expect(damage.isEmpty)
        let found = try #require(heap)
        #expect([found.rate, found.sampledCount, found.caughtCount] == [1000, 52_341, 2])
        #expect(found.pool == 0x7f00_0000_0000..<0x7f00_0100_0000)
        #expect(found.now == 9_000_000)
        #expect(found.error == .overwritten)
        #expect(found.errorAddress == 0x7f00_0000_3000)
        #expect(found.errorBytes == [0x41, 0x42])
        let block = try #require(found.blocks.first)
        #expect(block.range == 0x7f00_0000_2fc0..<0x7f00_0000_3000)
        #expect(block.alignment == 16)
        #expect(block.state == .freed)
        #expect(block.slot == 0x7f00_0000_1000..<0x7f00_0000_3000)
        #expect(block.allocated == block.freed)
        let moment = try #require(block.allocated)
        #expect(moment.time == 5_000_000)
        #expect(moment.threadID == 12)
        #expect(moment.threadName == "worker")
        #expect(moment.registers?.instructionPointer == 0x1010)
        #expect(moment.stack?.bytes.array == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(moment.attributes == [Annotation(name: "request", value: "42", type: .integer)])
    }

    @Test("A process without sampling has none, and one without an error no error")
    func absent() throws {
        #expect(try SampleDumps.snapshot(machine: 62) { _ in }.heap == nil)
        let (heap, damage) = try heap { $0.add(.heapRate, 1000) }
        #expect(heap?.error == nil)
        #expect(heap?.blocks == [])
        #expect(damage.isEmpty)
    }

    @Test("What makes no sense is left out, and said")
    func senseless() throws {
        let (heap, damage) = try heap { dump in
            dump.add(.heapError, 99)
            dump.add(.heapPoolAddress, UInt64.max)
            dump.add(.heapPoolSize, 2)
            dump.array(.heapBlocks) {
                $0.map { $0.add(.heapBlockSize, 8) }
                for place in 1...3 as ClosedRange<UInt64> {
                    $0.map { Self.block(&$0, at: place) }
                }
            }
        }
        #expect(heap?.error == nil)
        #expect(heap?.pool == nil)
        #expect(heap?.blocks.map(\.address) == [1, 2])
        #expect(damage.count == 4)
    }

    @Test("A section that the capture could not write is named in words")
    func damaged() throws {
        let snapshot = try SampleDumps.snapshot(machine: 62) { dump in
            dump.array(.damage) {
                $0.map {
                    $0.add(.damageSection, 14000)
                    $0.add(.damageWhy, 1)
                }
            }
        }
        #expect(
            snapshot.damage.map(\.sentence)
                == ["sampled allocations: the memory could not be read"])
    }
}
