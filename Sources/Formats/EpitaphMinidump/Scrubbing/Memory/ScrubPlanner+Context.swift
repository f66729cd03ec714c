// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Vector and floating-point registers of a CONTEXT record, which sanitising removes: they hold
/// pieces of text, and no unwinder needs them. Integer registers stay, as in Breakpad.
struct ContextScrubbing {
    let flagsOffset: Int
    /// Flags of the removed parts.
    let flags: UInt32
    let removed: [Range<Int>]

    /// Offsets from winnt.h and Breakpad's minidump_cpu_*.h. Nil for an unknown processor.
    init?(_ architecture: Architecture, byteCount: Int) {
        switch architecture {
        case .x86_64:
            // CONTEXT_FLOATING_POINT and CONTEXT_XSTATE, whose data follows the record.
            self.init(48, 0x48, [(256, 1184), (1232, byteCount)])
        case .aarch64 where byteCount == 796:
            self.init(0, 0x4, [(284, 796)])
        case .aarch64:
            self.init(0, 0x4, [(272, 784), (912, byteCount)])
        case .x86:
            // CONTEXT_FLOATING_POINT, CONTEXT_EXTENDED_REGISTERS, CONTEXT_XSTATE
            self.init(0, 0x68, [(28, 140), (204, byteCount)])
        case .arm:
            self.init(0, 0x4, [(72, byteCount)])
        default: return nil
        }
    }

    private init(_ flagsOffset: Int, _ flags: UInt32, _ removed: [(start: Int, end: Int)]) {
        self.flagsOffset = flagsOffset
        self.flags = flags
        // A record may be cut anywhere.
        self.removed = removed.filter { $0.start < $0.end }.map { $0.start..<$0.end }
    }
}

extension ScrubPlanner {
    func scrubContext(at place: Int) throws(ScrubbingError) {
        let record = file.location(at: place)
        guard !record.isEmpty else { return }
        guard rules.sanitizesStacks else { return fates.structure.append(record) }
        let isNew = registerSets.insert(record.lowerBound).inserted
        guard let parts = ContextScrubbing(snapshot.architecture, byteCount: record.count) else {
            // The layout is unknown.
            fates.unused.append(record)
            summary.clearedRegisterSetCount += isNew ? 1 : 0
            return try fates.edit(UInt64(0), at: place)
        }
        let removed = parts.removed
            .map { record.lowerBound + $0.lowerBound..<record.lowerBound + $0.upperBound }
            .map { $0.clamped(to: record) }
        fates.structure += OrderedRanges.gaps(in: record, between: OrderedRanges.merged(removed))
        fates.unused += removed
        let flagsOffset = record.lowerBound + parts.flagsOffset
        guard flagsOffset + 4 <= record.upperBound, let flags = file.u32(flagsOffset) else {
            return
        }
        try fates.edit(flags & ~parts.flags, at: flagsOffset)
        summary.clearedRegisterSetCount += isNew ? 1 : 0
    }
}
