// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphValues
import Testing

@Suite("Threads of which a part is missing")
struct PartialThreadTests {
    private func thread(
        machine: UInt16 = 62, _ fill: (inout DumpBuilder) -> Void
    ) throws -> (ThreadSnapshot?, [String]) {
        let snapshot = try SampleDumps.snapshot(machine: machine) { dump in
            dump.array(.threads) {
                $0.map {
                    $0.add(.threadID, 7)
                    fill(&$0)
                }
            }
        }
        return (snapshot.threads.first, snapshot.damage.map(\.sentence))
    }

    @Test("A thread that is said to be complete and has no registers is not")
    func threadWithoutRegisters() throws {
        let (thread, _) = try thread { $0.add(.threadCompleteness, 1) }
        #expect(thread?.completeness == .missing)
        #expect(thread?.whyIncomplete == "its registers are not in the dump")
    }

    @Test("A reason this version does not know keeps its number")
    func unknownWhy() throws {
        let (thread, _) = try thread { $0.add(.threadWhy, 99) }
        #expect(thread?.whyIncomplete == "reason 99, which this version does not know")
    }

    @Test("Registers of another size are left out", arguments: [0, 183, 185, 280])
    func wrongRegisters(count: Int) throws {
        let (thread, damage) = try thread {
            $0.add(.threadState, bytes: Array(repeating: 1, count: count))
        }
        #expect(thread?.registers == nil)
        #expect(damage.count == 1)
        #expect(
            damage.first?.hasSuffix("has \(count) bytes instead of 184 and was left out") == true)
    }

    @Test("Floating-point state that makes no sense is left out, the registers stay")
    func wrongFloats() throws {
        let (x86, x86Damage) = try thread {
            $0.add(.threadState, bytes: SampleDumps.x86Registers)
            $0.add(.floatState, bytes: Array(repeating: 0, count: 511))
        }
        #expect(x86?.completeness == .complete)
        #expect(x86Damage.first?.hasSuffix("holds no floating-point state of x86_64") == true)

        let records: [[UInt8]] = [
            [], [1, 2, 3], Array(SampleDumps.fpsimdRecords[..<100]),
            Array(repeating: 0, count: 600),
            // A record that claims to be smaller than its own head, or far larger than the payload.
            [9, 0, 0, 0, 0, 0, 0, 0], [9, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
            // FPSIMD_MAGIC with room for its head alone.
            [0x01, 0x80, 0x50, 0x46, 8, 0, 0, 0],
        ]
        for floats in records {
            let (arm64, damage) = try thread(machine: 183) {
                $0.add(.threadState, bytes: SampleDumps.arm64Registers)
                $0.add(.floatState, bytes: floats)
            }
            #expect(arm64?.completeness == .complete)
            #expect(damage.first?.hasSuffix("holds no floating-point state of aarch64") == true)
        }
    }

    @Test("Threads without an id and threads listed again are left out")
    func unusableThreads() throws {
        let snapshot = try SampleDumps.snapshot {
            $0.array(.threads) {
                $0.map { $0.add(.threadName, "nobody") }
                $0.map {
                    $0.add(.threadID, 7)
                    $0.add(.threadName, "first")
                }
                $0.map {
                    $0.add(.threadID, 7)
                    $0.add(.threadName, "second")
                }
            }
        }
        #expect(snapshot.threads.map(\.name) == ["first"])
        #expect(
            snapshot.damage.map(\.sentence) == [
                "offset 0xde: a thread has no id and was left out",
                "thread 7: it is listed twice; the second entry was left out",
            ])
    }
}
