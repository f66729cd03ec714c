// SPDX-License-Identifier: Apache-2.0

/// The call that allocated or freed a sampled block.
package struct HeapMoment: Sendable, Equatable {
    /// CLOCK_MONOTONIC_COARSE in nanoseconds, as `HeapSampling.now`; nil if unknown.
    package var time: UInt64?
    package var threadID: UInt64?
    package var threadName: String?
    /// Only the instruction and stack pointer and callee-saved registers; the others are 0.
    package var registers: RegisterSnapshot?
    /// From the stack pointer up, some KiB; words that are no addresses are 0.
    package var stack: MemoryRegion?
    /// Of the thread's scope then, innermost scope first.
    package var attributes: [Annotation] = []

    package init() {}

    package struct Place: Sendable, Hashable {
        /// Index into `HeapSampling.blocks`.
        package var block: Int
        /// Whether the block was freed; otherwise it was allocated.
        package var isFree: Bool

        package init(block: Int, isFree: Bool) {
            self.block = block
            self.isFree = isFree
        }

        /// From 1, as in minidumps.
        package var number: UInt32 { 1 + 2 * UInt32(clamping: block) + (isFree ? 1 : 0) }

        /// Nil for 0, and for a block that no report has.
        package init?(number: UInt32) {
            guard number > 0, number <= 2 * HeapSampling.blockLimit else { return nil }
            block = Int(number - 1) / 2
            isFree = number % 2 == 0
        }
    }
}

extension ProcessSnapshot {
    /// The process as far as it is known of a moment: the thread with its stack then, and no other
    /// stack, because what the stacks hold now was written later.
    package func at(_ moment: HeapMoment) -> ProcessSnapshot {
        var then = self
        var thread = ThreadSnapshot(id: moment.threadID ?? 0, completeness: .complete)
        thread.registers = moment.registers
        thread.stack = moment.stack
        then.exception = nil
        then.request = nil
        then.threads = [thread]
        let pointer = moment.registers?.stackPointer ?? 0
        let around = mappings.first { $0.addressRange.contains(pointer) }?.addressRange
        let stacks = [around, moment.stack?.addressRange].compactMap(\.self)
        then.memory = memory.filter { region in
            !stacks.contains { $0.overlaps(region.addressRange) }
        }
        return then
    }
}
