// SPDX-License-Identifier: Apache-2.0

import EpitaphValues
import Testing

@testable import EpitaphUpload

@Suite("Errors of sampled allocations in Sentry's event")
struct SentryHeapTests {
    private static let snapshot: ProcessSnapshot = {
        var snapshot = ProcessSnapshot(architecture: .x86_64)
        snapshot.exception = ExceptionSnapshot(signal: 11, code: 2, address: 0x1000)
        snapshot.exception?.threadID = 12
        snapshot.threads = [12, 13].map { ThreadSnapshot(id: $0, completeness: .complete) }
        var kept = KeptStacks()
        kept.frames = [0x100, 0x200, 0x300].map {
            .init(instructionPointer: $0, lookupAddress: $0, foundBy: "registers")
        }
        kept.steps = (0..<3).map { .init(frame: $0, distance: 0) }
        func stack(_ id: UInt64, _ step: Int) -> KeptStacks.Stack {
            .init(
                threadID: id, isOfCrash: step == 0, stackPointer: 0, firstStep: step, stepCount: 1)
        }
        var freed = stack(13, 1)
        freed.moment = .init(block: 0, isFree: true)
        kept.stacks = [stack(12, 0), freed, stack(13, 2)]
        snapshot.keptStacks = kept
        var moment = HeapMoment()
        moment.threadID = 13
        var block = SampledBlock(address: 0x1000, size: 64)
        block.freed = moment
        block.allocated = HeapMoment()
        snapshot.heap = HeapSampling()
        snapshot.heap?.blocks = [block]
        var told = HeapWords(error: "use-after-free")
        told.freedBy = "release at cache.c:31"
        snapshot.heap?.told = told
        return snapshot
    }()

    @Test("The calls are further threads, and no thread has a call's stack for its own")
    func threads() throws {
        let stacks = try #require(SentryStacks(Self.snapshot, words: nil))
        #expect(stacks.threads.values.map(\.id) == [1 << 32 + 2, 12, 13])
        #expect(stacks.threads.values[0].name == "block 1 freed by thread 13")
        let addresses = stacks.threads.values.map { $0.stacktrace?.frames.first?.instruction_addr }
        #expect(addresses == ["0x200", nil, "0x300"])
    }

    @Test("The error in words is a context")
    func context() throws {
        let stacks = try #require(SentryStacks(Self.snapshot, words: nil))
        #expect(
            stacks.contexts == [
                "memory_error": ["error": "use-after-free", "freed_by": "release at cache.c:31"]
            ])
        let event = SentryEvent(.example([:]), release: nil, environment: nil, stacks: stacks)
        #expect(event.json().contains(#""contexts":{"memory_error":{"error":"use-after-free""#))
    }
}
