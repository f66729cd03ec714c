// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Selects the memory of a core that belongs in a report: docs/core-files.md. A core has gigabytes;
/// most of it says nothing about the crash and a lot about users.
struct MemorySelection {
    let memory: any CoreMemory
    let map: AddressMap
    /// Arguments and environment, to the end of their mapping.
    let privateRange: Range<UInt64>?

    enum Limit {
        static let crashingStack = 1 << 20
        static let otherStack = 256 << 10
        static let outermost = 32 << 10
        static let allStacks = 64 << 20
        static let crashingPointers = 64 << 10
        static let otherPointers = 4 << 10
        static let allOtherPointers = 512 << 10
        static let searchedStack = 32 << 10
        static let searchedOutermost = 8 << 10
        static let allContexts = 1 << 16
    }

    /// Below the stack pointer, where leaf functions keep variables: x86_64 psABI 3.2.2.
    private static let redZone: UInt64 = 128
    /// The largest local array above which the rest of the stack is looked for, as in dumps.
    private static let largestFrame: UInt64 = 1 << 30

    private var stackBytesLeft = Limit.allStacks
    private var pointerBytesLeft = Limit.allOtherPointers
    private var contextsLeft = Limit.allContexts
    private(set) var regions: [MemoryRegion] = []
    private(set) var damage: [Damage] = []
    private var chosen = ChosenGranules()

    init(memory: any CoreMemory, map: AddressMap, privateRange: Range<UInt64>?) {
        self.memory = memory
        self.map = map
        self.privateRange = privateRange
    }

    /// - Parameter followsTasks: whether to look for contexts of Swift tasks.
    mutating func select(
        _ thread: inout ThreadSnapshot, isCrashing: Bool, followsTasks: Bool
    ) {
        guard let registers = thread.registers else { return }
        let stack = stack(
            from: registers.stackPointer &- Self.redZone, of: thread, isCrashing: isCrashing)
        thread.stack = stack
        if let stack { chosen.add(stack.addressRange) }
        if let stack, let outer = SignalFrame.interruptedStackPointer(in: stack, map),
            !stack.addressRange.contains(outer)
        {
            addStack(from: outer &- Self.redZone, of: thread, isCrashing: isCrashing)
        }
        selectPointers(of: registers, stack, isCrashing: isCrashing)
        guard followsTasks, contextsLeft > 0 else { return }
        let chain = AsyncContexts(memory: memory, map: map)
            .contexts(registers, searched(stack))
        thread.asyncChainCuts = chain.cuts
        contextsLeft -= chain.addresses.count
        for context in chain.addresses where context < .max - 64 { add(context..<context + 64) }
    }

    /// The interrupted stack of a signal handler that ran on an alternate one.
    private mutating func addStack(
        from address: UInt64, of thread: ThreadSnapshot, isCrashing: Bool
    ) {
        guard let stack = stack(from: address, of: thread, isCrashing: isCrashing) else { return }
        chosen.add(stack.addressRange)
        regions.append(stack)
    }

    private mutating func stack(
        from lowest: UInt64, of thread: ThreadSnapshot, isCrashing: Bool
    ) -> MemoryRegion? {
        let subject = "stack of \(thread.damageSubject)"
        // The red zone may lie below the mapping, and after an overflow the pointer itself does.
        var start = lowest
        if map.mapping(at: start) == nil {
            let next = map.mappings.first { $0.addressRange.lowerBound > start }
            if let next, next.addressRange.lowerBound - start <= 1 << 20 {
                start = next.addressRange.lowerBound
            } else if let own = ownStack(above: start, of: thread) {
                start = own
            } else {
                return lose(subject, "its address is in no mapping", nil)
            }
        }
        guard var mapping = map.mapping(at: start) else { return nil }
        // After an overflow the pointer is in the guard below the stack.
        if !mapping.isReadable, let above = map.mapping(at: mapping.addressRange.upperBound) {
            start = mapping.addressRange.upperBound
            mapping = above
        }
        var end = mapping.addressRange.upperBound
        if let privateRange, mapping.addressRange.contains(privateRange.lowerBound) {
            end = privateRange.lowerBound
        }
        guard start < end else { return nil }
        let isEndKnown = mapping.path == "[stack]" || map.hasGuard(below: start)
        let limit = min(isCrashing ? Limit.crashingStack : Limit.otherStack, stackBytesLeft)
        let wanted = Int(clamping: end - start)
        let inner = memory.bytes(at: start, count: min(wanted, limit))
        stackBytesLeft -= inner.count
        guard !inner.isEmpty else {
            return lose(
                subject, limit == 0 ? "no room is left for it" : "the core does not have it", nil)
        }
        if inner.count < min(wanted, limit) {
            _ = lose(
                subject, "the core has \(inner.count) bytes of it",
                wanted - inner.count)
        } else if wanted > limit, isEndKnown {
            addOutermost(end: end, above: start + UInt64(inner.count), subject)
        }
        return MemoryRegion(address: start, bytes: inner)
    }

    /// The first used page of the thread's stack if `address` is below, as with a big array.
    private func ownStack(above address: UInt64, of thread: ThreadSnapshot) -> UInt64? {
        let inside = [thread.threadDataAddress, privateRange?.lowerBound].compactMap { $0 }
        let stack = inside.lazy.compactMap { map.mapping(at: $0 &- 1) }.first {
            $0.isWritable && $0.addressRange.lowerBound > address
                && $0.addressRange.lowerBound - address <= Self.largestFrame
        }
        guard let range = stack?.addressRange else { return nil }
        let page: UInt64 = 4096
        for start in stride(from: range.lowerBound, to: range.upperBound, by: Int(page)) {
            let bytes = memory.bytes(at: start, count: Int(page)).array
            if bytes.contains(where: { $0 != 0 }) { return start }
        }
        return nil
    }

    private mutating func addOutermost(end: UInt64, above: UInt64, _ subject: String) {
        let start = max(above, end - min(end, UInt64(Limit.outermost)))
        let outer = memory.bytes(at: start, count: Int(end - start))
        stackBytesLeft = max(0, stackBytesLeft - outer.count)
        let region = MemoryRegion(address: start, bytes: outer)
        chosen.add(region.addressRange)
        regions.append(region)
        let missing = Int(clamping: start - above)
        if missing > 0 { _ = lose(subject, "it is larger than the limit", missing) }
    }

    private mutating func lose(
        _ subject: String, _ reason: String, _ byteCount: Int?
    ) -> MemoryRegion? {
        let words = byteCount.map { "\(reason), \($0) bytes were left out" } ?? reason
        damage.append(Damage(stage: .capture, subject: subject, reason: words))
        return nil
    }

    /// The innermost and outermost parts of a stack, to be searched for pointers.
    private func searched(_ stack: MemoryRegion?) -> [ByteSlice] {
        guard let stack else { return [] }
        // Words have the alignment of the stack pointer.
        let skew = Int((8 - stack.address % 8) % 8)
        let inner = stack.bytes.slice(from: skew, length: Limit.searchedStack)
        let rest = stack.bytes.slice(from: skew + inner.count)
        let outer = rest.slice(from: max(0, rest.count - Limit.searchedOutermost) / 8 * 8)
        return [inner, outer]
    }

    private mutating func selectPointers(
        of registers: RegisterSnapshot, _ stack: MemoryRegion?, isCrashing: Bool
    ) {
        var left =
            isCrashing ? Limit.crashingPointers : min(Limit.otherPointers, pointerBytesLeft)
        let before = left
        take(around: registers.instructionPointer, 128, &left)
        for (_, value) in registers.named where isCrashing || map.isData(value) {
            take(around: value, isCrashing ? 256 : 96, &left)
        }
        if isCrashing, let nearest = searched(stack).first {
            var offset = 0
            while left > Limit.crashingPointers / 2 || offset < 1 << 12,
                let word = nearest.load(at: offset, as: UInt64.self)
            {
                offset += 8
                if left > 0, map.isData(word) { take(around: word, 96, &left) }
            }
        } else {
            pointerBytesLeft -= before - left
        }
    }

    /// Adds `reach` bytes before and after an address, in granules of 64 bytes.
    private mutating func take(around address: UInt64, _ reach: UInt64, _ left: inout Int) {
        guard left > 0, let mapping = map.mapping(at: address) else { return }
        let bounds = mapping.addressRange
        let start = max(bounds.lowerBound, address - min(address, reach)) & ~63
        let end = min(bounds.upperBound, address + min(reach, UInt64.max - address))
        left -= add(start..<max(start, end))
    }

    /// Adds the missing parts of a range. Returns how many bytes it added.
    @discardableResult
    mutating func add(_ range: Range<UInt64>) -> Int {
        var added = 0
        for part in chosen.missing(of: range) {
            var part = part
            if let privateRange { part = part.without(privateRange) }
            guard !part.isEmpty else { continue }
            let found = memory.bytes(at: part.lowerBound, count: part.count)
            guard !found.isEmpty else { continue }
            added += found.count
            regions.append(MemoryRegion(address: part.lowerBound, bytes: ByteSlice(found.array)))
        }
        chosen.add(range)
        return added
    }
}

extension Range<UInt64> {
    /// The part before `other`, or that behind it if it begins inside.
    fileprivate func without(_ other: Range<UInt64>) -> Range<UInt64> {
        guard overlaps(other) else { return self }
        if lowerBound < other.lowerBound { return lowerBound..<other.lowerBound }
        let start = Swift.min(upperBound, other.upperBound)
        return start..<upperBound
    }
}

struct ChosenGranules {
    private static let size: UInt64 = 64
    private var granules: Set<UInt64> = []
    /// Stacks, which are too large for the set.
    private var ranges: [Range<UInt64>] = []

    mutating func add(_ range: Range<UInt64>) {
        guard range.count > 4096 else {
            for granule in Self.granules(of: range) { granules.insert(granule) }
            return
        }
        let place = ranges.prefixCount { $0.lowerBound <= range.lowerBound }
        ranges.insert(range, at: place)
    }

    func missing(of range: Range<UInt64>) -> [Range<UInt64>] {
        guard range.count <= 1 << 16 else { return [] }
        var parts: [Range<UInt64>] = []
        for granule in Self.granules(of: range) where !contains(granule) {
            guard let part = Range(at: granule * Self.size, count: Self.size) else { continue }
            if let last = parts.last, last.upperBound == part.lowerBound {
                parts[parts.count - 1] = last.lowerBound..<part.upperBound
            } else {
                parts.append(part)
            }
        }
        return parts
    }

    private func contains(_ granule: UInt64) -> Bool {
        if granules.contains(granule) { return true }
        let address = granule * Self.size
        let low = ranges.prefixCount { $0.lowerBound <= address }
        return low > 0 && ranges[low - 1].contains(address)
    }

    private static func granules(of range: Range<UInt64>) -> Range<UInt64> {
        guard !range.isEmpty else { return 0..<0 }
        return range.lowerBound / size..<(range.upperBound - 1) / size + 1
    }
}
