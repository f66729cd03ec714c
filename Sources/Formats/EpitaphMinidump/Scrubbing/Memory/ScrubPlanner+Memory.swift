// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension ScrubPlanner {
    /// Decides on all memory, and on the thread list that refers to it.
    func scrubMemory() throws(ScrubbingError) {
        let threads = range(of: .threadList).map { keepRecords(in: $0, byteCount: 48) } ?? []
        let list = stream(.memoryList).map { memoryList($0) }
        let list64 = stream(.memory64List).map { memory64List($0) }
        let regions = (list?.regions ?? []) + (list64?.regions ?? [])
        let choice = MemoryChoice(
            file, rules: rules, snapshot: snapshot, threads: threads,
            crashingThread: crashingThread,
            regions: regions.sorted { $0.address < $1.address })

        var kept: [Range<UInt64>] = []
        if let list { try scrub(list, choice, &kept) }
        if let list64 { try scrub64(list64, choice, &kept) }
        for thread in threads { try scrubContext(at: thread + 40) }
        try scrubStacks(choice, listed: OrderedRanges.merged(regions.map(\.file)), &kept)
        let heapStacks = try scrubHeapStacks(choice, &kept)
        known = KnownRanges(
            snapshot, stacks: choice.stacks.map(\.region.addresses) + heapStacks, memory: kept)
        try maskCopies()
    }

    /// The first field of MINIDUMP_EXCEPTION_STREAM; missing in a live dump.
    private var crashingThread: UInt32? {
        range(of: .exception).flatMap { $0.count >= 4 ? file.u32($0.lowerBound) : nil }
    }

    /// Some stacks are only in the thread list, not in a memory list.
    private func scrubStacks(
        _ choice: MemoryChoice, listed: [Range<Int>], _ kept: inout [Range<UInt64>]
    ) throws(ScrubbingError) {
        for stack in choice.stacks where stack.isInThreadList {
            if !stack.isKept { try fates.edit(UInt64(0), at: stack.record + 32) }
            let file = stack.region.file
            guard OrderedRanges.common(file, with: listed) != [file] else { continue }
            var parts = KeptParts()
            if stack.isKept { parts.data = [stack.region.addresses] }
            apply(parts, to: stack.region, choice)
            kept += parts.all
        }
    }

    func apply(_ parts: KeptParts, to region: CapturedRegion, _ choice: MemoryChoice) {
        let keptByteCount = parts.byteCount
        if keptByteCount < region.file.count {
            summary.removedMemoryRegionCount += 1
            summary.removedMemoryByteCount += region.file.count - keptByteCount
        }
        if keptByteCount > 0 { summary.keptMemoryRegionCount += 1 }
        summary.keptMemoryByteCount += keptByteCount
        fates.memory += parts.code.map { region.fileRange(of: $0) }
        for part in parts.data {
            let range = region.fileRange(of: part)
            searchedMemory.append(range)
            guard rules.sanitizesStacks, let size = choice.wordByteCount else {
                fates.memory.append(range)
                continue
            }
            fates.sanitized.append(
                SanitizedMemory(
                    fileRange: range, address: part.lowerBound, wordByteCount: size))
        }
        let files = OrderedRanges.merged(parts.all.map { region.fileRange(of: $0) })
        fates.droppedMemory += OrderedRanges.gaps(in: region.file, between: files)
    }

    /// Overwrites removed bytes that readers still find: zeros might be mistaken for contents.
    func deface(
        _ hull: Range<UInt64>, around parts: KeptParts, of region: CapturedRegion,
        _ choice: MemoryChoice
    ) {
        for hole in OrderedRanges.gaps(in: hull, between: parts.all) {
            fates.defaced.append(
                SanitizedMemory(
                    fileRange: region.fileRange(of: hole), address: hole.lowerBound,
                    wordByteCount: choice.wordByteCount ?? 8))
        }
    }

    private func maskCopies() throws(ScrubbingError) {
        var search = secrets
        for home in homes { search.add(home) }
        guard !search.isEmpty else { return }
        let chunkByteCount = 1 << 20
        for range in OrderedRanges.merged(searchedMemory) {
            var start = range.lowerBound
            while start < range.upperBound {
                let chunkEnd = min(start + chunkByteCount, range.upperBound)
                // A copy may reach into the next chunk.
                let end = min(chunkEnd + SecretSearch.mostByteCount, range.upperBound)
                let slice = file.slice(start..<end)
                let copies = slice.withUnsafeBytes {
                    search.copies(in: $0, limit: Self.copyLimit - fates.masked.count)
                }.map { start + $0.lowerBound..<start + $0.upperBound }
                let own = copies.prefix { $0.lowerBound < chunkEnd }
                fates.masked += own
                guard fates.masked.count < Self.copyLimit else {
                    throw .tooMuch("more than \(Self.copyLimit) copies of removed texts in memory")
                }
                if range.count >= chunkByteCount { slice.forget() }
                start = max(chunkEnd, own.last?.upperBound ?? chunkEnd)
            }
        }
        summary.removedCopyCount += fates.masked.count
    }

    private static let copyLimit = 1_000_000
}
