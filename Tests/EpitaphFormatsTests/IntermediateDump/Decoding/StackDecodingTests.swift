// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphValues
import Testing

/// A stack of which the handler left the zeros out is one region again.
@Suite("Stacks in two parts")
struct StackDecodingTests {
    private func read(_ fill: (inout DumpBuilder) -> Void) throws -> (ThreadSnapshot?, [String]) {
        let snapshot = try SampleDumps.snapshot { dump in
            dump.array(.threads) {
                $0.map {
                    $0.add(.threadID, 7)
                    fill(&$0)
                }
            }
        }
        return (snapshot.threads.first, snapshot.damage.map(\.sentence))
    }

    private func lower(_ builder: inout DumpBuilder) {
        builder.add(.stackRegionAddress, 0x1000)
        builder.add(.stackRegionData, bytes: [1, 2, 3, 4])
    }

    @Test("The zeros between the parts are put back")
    func joined() throws {
        let (thread, damage) = try read {
            lower(&$0)
            $0.add(.stackUpperAddress, 0x1008)
            $0.add(.stackUpperData, bytes: [5, 6])
        }
        #expect(thread?.stack?.address == 0x1000)
        #expect(thread?.stack?.bytes.array == [1, 2, 3, 4, 0, 0, 0, 0, 5, 6])
        #expect(damage.isEmpty)
    }

    @Test("A stack may begin with the zeros")
    func zerosFirst() throws {
        let (thread, damage) = try read {
            $0.add(.stackRegionAddress, 0x1000)
            $0.add(.stackRegionData, bytes: [])
            $0.add(.stackUpperAddress, 0x1004)
            $0.add(.stackUpperData, bytes: [5, 6])
        }
        #expect(thread?.stack?.address == 0x1000)
        #expect(thread?.stack?.bytes.array == [0, 0, 0, 0, 5, 6])
        #expect(damage.isEmpty)
    }

    @Test("A stack in one part is as it was")
    func onePart() throws {
        let (thread, damage) = try read { lower(&$0) }
        #expect(thread?.stack?.bytes.array == [1, 2, 3, 4])
        #expect(damage.isEmpty)
    }

    @Test(
        "An upper part that does not belong to the lower one is left out, and told of",
        arguments: [0, 0xfff, 0x1003, 0x1004 + 8193, UInt64.max] as [UInt64])
    func elsewhere(_ address: UInt64) throws {
        let (thread, damage) = try read {
            lower(&$0)
            $0.add(.stackUpperAddress, address)
            $0.add(.stackUpperData, bytes: [5, 6])
        }
        #expect(thread?.stack?.bytes.array == [1, 2, 3, 4])
        #expect(damage.count == 1)
        #expect(damage.first?.contains("does not belong to its lower part") == true)
    }

    @Test("An upper part alone is no stack")
    func upperAlone() throws {
        let (thread, damage) = try read {
            $0.add(.stackUpperAddress, 0x1008)
            $0.add(.stackUpperData, bytes: [5, 6])
        }
        #expect(thread?.stack == nil)
        #expect(damage.count == 1)
    }

    @Test("What was left out of a stack is told in bytes")
    func leftOut() throws {
        let snapshot = try SampleDumps.snapshot {
            $0.array(.damage) {
                $0.map {
                    $0.add(.damageSection, DumpKey.stackRegionData.rawValue)
                    $0.add(.damageWhy, 17)
                    $0.add(.damageSubject, 7)
                    $0.add(.damageBytes, 4096)
                }
            }
        }
        #expect(
            snapshot.damage.map(\.sentence) == [
                "stack of thread 7: it was longer than its limit, 4096 bytes were left out"
            ])
    }

    @Test("Where chains of callers were cut is an address each")
    func chainCuts() throws {
        let (thread, damage) = try read {
            $0.add(
                .asyncChainCuts, bytes: [0x40, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 9])
        }
        #expect(thread?.asyncChainCuts == [0x40, 0x80])
        #expect(damage.isEmpty)
    }
}
