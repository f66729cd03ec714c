// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@testable import EpitaphMinidump

@Suite("Sampled allocations, scrubbed")
struct HeapScrubbingTests {
    private static let snapshot: ProcessSnapshot = {
        var stack = ByteBuilder()
        // An address in the program, one on the stack, a text.
        stack.append(0x5555_5555_4123 as UInt64, 0x7f10_2000_0110 as UInt64)
        stack.append("acme-key")
        var moment = HeapMoment()
        moment.threadID = 12
        moment.threadName = "acme-key worker"
        moment.stack = MemoryRegion(address: 0x7f10_2000_0100, bytes: ByteSlice(stack.bytes))
        moment.attributes = [
            Annotation(name: "tenant", value: "acme-key"),
            Annotation(name: "request", value: "42", type: .integer),
        ]
        var block = SampledBlock(address: 0x7f50_0000_2fc0, size: 64)
        block.allocated = moment
        block.typeName = "app.Account"
        var heap = HeapSampling()
        heap.errorBytes = Array("password".utf8)
        heap.blocks = [block]
        var snapshot = ProcessSnapshot(architecture: .x86_64)
        snapshot.heap = heap
        snapshot.modules = [
            ModuleSnapshot(
                path: "/usr/bin/d", addressRange: 0x5555_5555_4000..<0x5555_5555_6000,
                kind: .executable)
        ]
        return snapshot
    }()

    private func heap(_ scrubbed: Scrubbed) throws -> HeapSampling {
        let contents = try scrubbed.contents()
        #expect(contents.readingDamage.isEmpty)
        return try #require(contents.snapshot.heap)
    }

    @Test("A rule about something else leaves them whole")
    func kept() throws {
        let scrubbed = try Scrubbed(Self.snapshot) { $0.removedParts = [.environment] }
        #expect(try heap(scrubbed) == Self.snapshot.heap)
    }

    @Test(
        "The stacks go where other threads' stacks go, and with them the bytes that were found",
        arguments: [.crashingStack, .none] as [ScrubbingRules.Memory])
    func memory(rule: ScrubbingRules.Memory) throws {
        let scrubbed = try Scrubbed(Self.snapshot) { $0.memory = rule }
        #expect(scrubbed.sourceContains("password"))
        #expect(!scrubbed.contains("password"))
        let heap = try heap(scrubbed)
        #expect(heap.blocks[0].allocated?.stack == nil)
        #expect(heap.blocks[0].allocated?.attributes.count == 2)
        #expect(heap.blocks[0].typeName == "app.Account")
        #expect(heap.errorBytes.isEmpty)
    }

    @Test("Sanitised stacks keep addresses and lose texts")
    func sanitized() throws {
        let scrubbed = try Scrubbed(Self.snapshot) { $0.sanitizesStacks = true }
        #expect(!scrubbed.contains("password"))
        let stack = try heap(scrubbed).blocks[0].allocated?.stack
        let words = try #require(stack).bytes
        #expect(words.load(at: 0, as: UInt64.self) == 0x5555_5555_4123)
        #expect(words.load(at: 8, as: UInt64.self) == 0x7f10_2000_0110)
        #expect(words.load(at: 16, as: UInt64.self) == 0x0def_aced_0def_aced)
    }

    @Test("A denied attribute goes, with the copies of its value, and the others stay")
    func attribute() throws {
        let scrubbed = try Scrubbed(Self.snapshot) {
            $0.annotations.denied = [KeyPattern("tenant")]
        }
        #expect(scrubbed.sourceContains("acme-key"))
        #expect(!scrubbed.contains("acme-key"))
        #expect(!scrubbed.contains("tenant"))
        let moment = try heap(scrubbed).blocks[0].allocated
        #expect(moment?.attributes.map(\.name) == ["request"])
        #expect(moment?.threadName == "******** worker")
    }

    @Test("Names of threads go with the others")
    func threadNames() throws {
        let scrubbed = try Scrubbed(Self.snapshot) { $0.removedParts = [.threadNames] }
        #expect(!scrubbed.contains("worker"))
        #expect(try heap(scrubbed).blocks[0].allocated?.threadID == 12)
    }

    @Test("A stream of a later version goes, for its texts are not known")
    func laterVersion() throws {
        var bytes = plainMinidump(of: Self.snapshot)
        bytes[RawMinidump(bytes: bytes).offset(0x4570_0004)] = 9
        let scrubbed = try Scrubbed(bytes) { $0.removedParts = [.environment] }
        #expect(try scrubbed.contents().snapshot.heap == nil)
        #expect(!scrubbed.contains("acme-key"))
    }
}
