// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

@testable import EpitaphExplanation

/// A daemon with a pool of sampled allocations. Slots have two pages, and a guard page is between
/// any two of them.
struct HeapSample {
    static let slot: Range<UInt64> = 0x7f50_0000_1000..<0x7f50_0000_3000
    static let slotAbove: Range<UInt64> = 0x7f50_0000_4000..<0x7f50_0000_6000
    static let millisecond: UInt64 = 1_000_000

    var snapshot = Sample.crash()
    /// Those of the moments, by place.
    var stacks: [HeapMoment.Place: ReportStack] = [:]
    /// Of the crashing or the subject's thread.
    var frames = [
        Sample.frame(0, 0x40_1234, "read_entry", at: .init(file: "/src/cache.c", line: 57)),
        Sample.frame(1, 0x40_2000, "serve"),
    ]

    init(_ error: HeapError? = .fault) {
        var heap = HeapSampling()
        heap.rate = 1000
        heap.sampledCount = 52_341
        heap.caughtCount = 0
        heap.pool = 0x7f50_0000_0000..<0x7f50_0010_0000
        heap.now = 10_000 * Self.millisecond
        heap.error = error
        snapshot.heap = heap
        snapshot.system.pageSize = 4096
    }

    /// A block at the end of a slot, or at its start.
    static func block(
        _ size: UInt64, _ state: SampledBlock.State?, in slot: Range<UInt64> = slot,
        atStart: Bool = false
    ) -> SampledBlock {
        let end = slot.upperBound - (size + 15) / 16 * 16
        var block = SampledBlock(address: atStart ? slot.lowerBound : end, size: size)
        block.alignment = 16
        block.state = state
        block.slot = slot
        return block
    }

    mutating func add(_ block: SampledBlock) { snapshot.heap?.blocks.append(block) }

    /// The last block was allocated 3.2 s, or freed 41 ms before by another thread.
    mutating func add(_ verb: String, by function: String?, line: Int = 12) {
        guard let index = snapshot.heap?.blocks.indices.last else { return }
        let isFree = verb == "freed"
        var moment = HeapMoment()
        moment.threadID = isFree ? 4713 : 4712
        moment.threadName = isFree ? "sweeper" : nil
        moment.time = (10_000 - (isFree ? 41 : 3_250)) * Self.millisecond
        moment.registers = .x86_64(Sample.registers(rip: 0x7f00_0000_2010))
        if isFree {
            snapshot.heap?.blocks[index].freed = moment
        } else {
            snapshot.heap?.blocks[index].allocated = moment
        }
        var frames = [
            Sample.frame(0, 0x7f00_0000_2010, "epitaph_heap_take"),
            Sample.frame(1, 0x7f00_0000_2020, isFree ? "free" : "malloc"),
        ]
        if let function {
            frames.append(
                Sample.frame(2, 0x40_3000, function, at: .init(file: "/src/cache.c", line: line)))
        }
        stacks[.init(block: index, isFree: isFree)] = ReportStack(frames: frames)
    }

    /// A fault at an address, of `mov eax, [rax]`, which reads 4 bytes, unless given.
    mutating func fail(
        at address: UInt64, start: UInt64? = nil, instruction: [UInt8] = [0x8b, 0x00],
        pageFault: UInt64 = 4
    ) {
        snapshot.exception = ExceptionSnapshot(signal: 11, code: 2, address: address)
        snapshot.exception?.threadID = 4712
        var registers = Sample.registers(rip: 0x40_1234)
        registers.rax = start ?? address
        registers.trapNumber = 14
        registers.errorCode = pageFault
        registers.cr2 = address
        snapshot.exception?.registers = .x86_64(registers)
        guard !instruction.isEmpty else { return }
        snapshot.memory = [
            MemoryRegion(address: 0x40_1234, bytes: ByteSlice(instruction + [0x90, 0x90]))
        ]
    }

    /// abort(3) by the sampler.
    mutating func abort(at address: UInt64) {
        snapshot.exception = ExceptionSnapshot(signal: 6, code: -6, address: 0)
        snapshot.exception?.senderProcessID = snapshot.process.id
        snapshot.exception?.threadID = 4712
        snapshot.exception?.registers = .x86_64(Sample.registers(rip: 0x40_1234))
        snapshot.heap?.errorAddress = address
    }

    /// The program lives on.
    mutating func handle(at address: UInt64) {
        snapshot.exception = nil
        snapshot.request = ReportRequest(kind: .handledError)
        snapshot.request?.subjectThreadID = 4712
        snapshot.heap?.errorAddress = address
    }

    var explanation: CrashExplanation {
        let stack = ReportStack(frames: frames)
        return CrashExplanation(
            snapshot, stacks: [nil, stack], crashStack: stack, moments: stacks)
    }

    var headline: String? {
        (explanation.diagnosis ?? explanation.handledHeapError)?.headline
    }

    var kind: Diagnosis.Kind? {
        (explanation.diagnosis ?? explanation.handledHeapError)?.kind
    }

    /// Statements and evidence in one text.
    var words: String {
        ((explanation.diagnosis ?? explanation.handledHeapError)?.findings ?? [])
            .map { "\($0.statement) [\($0.evidence)]" }.joined(separator: "\n")
    }
}
