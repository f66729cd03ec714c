// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// What the sampler's blocks prove of an error, by addresses alone.
enum HeapVerdict: Equatable {
    /// At `offset` in a freed block.
    case usedFreed(block: Int, offset: UInt64)
    /// At or behind the block's end.
    case pastEnd(block: Int, Distance)
    case beforeStart(block: Int, Distance)
    /// In the guard page between two blocks, about as far from both.
    case between(below: Int, past: UInt64, above: Int, before: UInt64)
    case freedTwice(block: Int?)
    /// Nil if the address is in no block's slot.
    case freedWrongly(block: Int?)
    /// The first byte that was written, from the block's end or its start.
    case overwritten(block: Int?)
    case unproven(Unproven)

    enum Distance: Equatable {
        /// Of the access's first byte from the block's end, or to its start.
        case apart(UInt64)
        /// The access begins or ends in the block: this many bytes lie outside.
        case crossing(outside: UInt64)
    }

    /// Why no block is blamed, although the address is in the pool.
    enum Unproven: Equatable {
        case nearNone
        /// Another thread was allocating or freeing it.
        case changing(block: Int)
        /// At the capture the block was live, and so its memory was accessible.
        case accessible(block: Int)
        case unknownState(block: Int)
        /// A jump into a live block, whose memory holds no code.
        case jumpIntoLive(block: Int)
        /// A jump to where no block is.
        case jumpIntoNone
    }
}

/// An access that failed: `start` is `fault` unless the instruction is known.
struct HeapAccess: Equatable {
    /// The first byte that could not be used.
    let fault: UInt64
    let start: UInt64
    /// Nil if unknown.
    let byteCount: UInt64?

    init(fault: UInt64, start: UInt64? = nil, byteCount: UInt64? = nil) {
        self.fault = fault
        self.start = min(start ?? fault, fault)
        self.byteCount = byteCount
    }

    /// Behind the byte at fault at least.
    var end: UInt64 {
        let (end, overflow) = start.addingReportingOverflow(byteCount ?? 1)
        return overflow ? .max : max(end, fault &+ 1)
    }
}

extension HeapVerdict {
    init(_ access: HeapAccess, in heap: HeapSampling, pageSize: UInt64) {
        let blocks = heap.blocks.enumerated()
        if let (index, block) = blocks.first(where: { $1.holds(access) }) {
            self = .init(access, inSlotOf: block, index)
            return
        }
        let near = blocks.compactMap { Neighbour(access, $0.offset, $0.element, pageSize) }
        guard let first = near.min(by: { $0.distance < $1.distance }) else {
            self = .unproven(.nearNone)
            return
        }
        if case .crossing = first.verdictDistance, first.isSettled {
            self = first.verdict
            return
        }
        // Whichever is meant, it may have been another block a moment ago.
        if let changing = near.first(where: { !$0.isSettled }) {
            self = .unproven(
                changing.state == nil
                    ? .unknownState(block: changing.index) : .changing(block: changing.index))
            return
        }
        if near.count == 2, let below = near.first(where: \.isBelow),
            let above = near.first(where: { !$0.isBelow }),
            max(below.distance, above.distance) / 2 <= first.distance
        {
            self = .between(
                below: below.index, past: below.distance, above: above.index,
                before: above.distance)
        } else {
            self = first.verdict
        }
    }

    /// An address in a block's own pages.
    private init(_ access: HeapAccess, inSlotOf block: SampledBlock, _ index: Int) {
        switch block.state {
        case .changing: self = .unproven(.changing(block: index))
        case .live: self = .unproven(.accessible(block: index))
        case nil: self = .unproven(.unknownState(block: index))
        case .freed:
            if block.range.contains(access.start) {
                self = .usedFreed(block: index, offset: access.start - block.address)
            } else if let near = Neighbour(access, index, block, nil) {
                self = near.verdict
            } else {
                self = .unproven(.nearNone)
            }
        }
    }

    /// Of a jump. A pointer to code is not an index that may be a little off, so that no block is
    /// blamed for an address beside it.
    init(jumpTo target: UInt64, in heap: HeapSampling) {
        guard let index = heap.blocks.firstIndex(where: { $0.range.contains(target) }) else {
            self = .unproven(.jumpIntoNone)
            return
        }
        let block = heap.blocks[index]
        switch block.state {
        case .freed: self = .usedFreed(block: index, offset: target - block.address)
        case .live: self = .unproven(.jumpIntoLive(block: index))
        case .changing: self = .unproven(.changing(block: index))
        case nil: self = .unproven(.unknownState(block: index))
        }
    }

    /// An error that the sampler itself found at free(3).
    init?(_ error: HeapError, in heap: HeapSampling) {
        let address = heap.errorAddress
        let holder = address.flatMap { address in
            heap.blocks.firstIndex { ($0.slot ?? $0.range).contains(address) }
        }
        switch error {
        case .fault: return nil
        case .doubleFree:
            let same = heap.blocks.firstIndex { $0.address == address }
            self = .freedTwice(block: same)
        case .invalidFree: self = .freedWrongly(block: holder)
        case .overwritten: self = .overwritten(block: holder)
        }
    }

    /// Those that are named as involved.
    var blocks: [Int] {
        switch self {
        case .usedFreed(let block, _), .pastEnd(let block, _), .beforeStart(let block, _): [block]
        case .between(let below, _, let above, _): [below, above]
        case .freedTwice(let block), .freedWrongly(let block), .overwritten(let block):
            block.map { [$0] } ?? []
        case .unproven: []
        }
    }
}

extension SampledBlock {
    fileprivate func holds(_ access: HeapAccess) -> Bool {
        (slot ?? range).contains(access.fault)
    }
}

/// A block beside the address, near enough to be meant.
private struct Neighbour {
    let index: Int
    let isBelow: Bool
    let state: SampledBlock.State?
    let distance: UInt64
    let verdictDistance: HeapVerdict.Distance

    var isSettled: Bool { state == .live || state == .freed }

    var verdict: HeapVerdict {
        isBelow
            ? .pastEnd(block: index, verdictDistance) : .beforeStart(block: index, verdictDistance)
    }

    /// - Parameter pageSize: of the guard page; nil inside of the block's own pages.
    init?(_ access: HeapAccess, _ index: Int, _ block: SampledBlock, _ pageSize: UInt64?) {
        let slot = block.slot ?? block.range
        let (range, page) = (block.range, pageSize ?? 0)
        if access.fault >= range.upperBound {
            guard pageSize == nil || access.fault &- slot.upperBound < page else { return nil }
            isBelow = true
            if access.start < range.upperBound {
                distance = 0
                verdictDistance = .crossing(outside: access.end - range.upperBound)
            } else {
                distance = access.start - range.upperBound
                verdictDistance = .apart(distance)
            }
        } else {
            guard access.fault < range.lowerBound,
                pageSize == nil || slot.lowerBound &- access.fault <= page
            else { return nil }
            isBelow = false
            distance = range.lowerBound - access.start
            verdictDistance =
                access.end > range.lowerBound ? .crossing(outside: distance) : .apart(distance)
        }
        self.index = index
        state = block.state
        guard distance <= Self.plausibleDistance(from: block) else { return nil }
    }

    /// An index or a length that is wrong is rarely wrong by more.
    private static func plausibleDistance(from block: SampledBlock) -> UInt64 {
        max(64, block.size.multipliedClamped(by: 4))
    }
}
