// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A verdict in words.
struct HeapErrorWords {
    let heap: ExplainedHeap
    let phrases: HeapPhrases
    /// Who made the call that found the error: `in release at cache.c:31`; nil if unknown.
    var caller: String?

    /// - Parameters:
    ///   - access: nil if unknown.
    ///   - count: of bytes; nil if unknown.
    func diagnosis(
        _ verdict: HeapVerdict, _ access: DeathReason.Access? = nil, _ count: UInt64? = nil
    ) -> Diagnosis? {
        let what = Self.words(access, count)
        switch verdict {
        case .usedFreed(let block, let offset):
            let place =
                offset == 0
                ? " at the start of" : (count == nil ? " " : ", ") + inside(offset, count)
            return made(.useAfterFree, "\(what)\(place) \(phrases.block(block))", [block])
        case .pastEnd(let block, let distance):
            let place = self.place(distance, count, "last", "past the end of")
            return made(.heapOutOfBounds, "\(what)\(place) \(phrases.block(block))", [block])
        case .beforeStart(let block, let distance):
            let place = self.place(distance, count, "first", "before the start of")
            return made(.heapOutOfBounds, "\(what)\(place) \(phrases.block(block))", [block])
        case .between(let below, let past, let above, let before):
            return made(
                .heapOutOfBounds,
                "\(what) between two blocks: \(bytes(past)) past the end of "
                    + "\(phrases.block(below)), and \(bytes(before)) before the start of "
                    + phrases.block(above), [below, above])
        case .freedTwice(let block): return freedTwice(block)
        case .freedWrongly(let block): return freedWrongly(block)
        case .overwritten(let block): return overwritten(block)
        case .unproven: return nil
        }
    }

    /// `read 4 bytes`
    private static func words(_ access: DeathReason.Access?, _ count: UInt64?) -> String {
        let object = count.map { counted(Int(clamping: $0), "byte") } ?? "memory"
        return switch access {
        case .read: "read \(object)"
        case .write: "wrote \(object)"
        case .execute: "called an address"
        case nil: "used \(object)"
        }
    }

    /// Why no block is blamed, and what is around.
    func remark(_ verdict: HeapVerdict) -> Diagnosis.Finding? {
        let evidence = "The sampler's record of its pool\(rate.map { ", \($0)" } ?? "")."
        switch verdict {
        case .unproven(.nearNone):
            return .init(
                "The address lies in the pool of sampled allocations and near none of its blocks: "
                    + "which memory was meant is not known.", evidence: evidence)
        case .unproven(.changing(let block)):
            return .init(
                "The address lies in the pool of sampled allocations, near \(phrases.block(block)). "
                    + "Another thread was allocating or freeing a block there at that moment, so "
                    + "it may not be the one that was meant.", evidence: evidence)
        case .unproven(.accessible(let block)):
            return .init(
                "The address lies in the pool of sampled allocations, in the memory of "
                    + "\(phrases.block(block)). That memory was accessible when the report was "
                    + "taken, so the block that was meant is another one, which is not known.",
                evidence: evidence)
        case .unproven(.unknownState(let block)):
            return .init(
                "The address lies in the pool of sampled allocations, near \(phrases.block(block)). "
                    + "Whether that was freed is not known.", evidence: evidence)
        case .unproven(.jumpIntoLive(let block)):
            return .init(
                "The address lies in \(phrases.block(block)): memory of the heap, which holds no "
                    + "code.", evidence: evidence)
        case .unproven(.jumpIntoNone):
            return .init(
                "The address lies in the pool of sampled allocations and in none of its blocks.",
                evidence: evidence)
        default: return nil
        }
    }

    /// `one allocation in 1,000 is sampled`
    private var rate: String? { heap.sampling.rateWords }

    private func made(_ kind: Diagnosis.Kind, _ headline: String, _ blocks: [Int]) -> Diagnosis {
        var diagnosis = Diagnosis(kind: kind, headline: headline)
        diagnosis.heap = HeapCause(blocks, of: heap)
        for index in blocks { diagnosis.findings.append(whereabouts(index)) }
        return diagnosis
    }

    private func whereabouts(_ index: Int) -> Diagnosis.Finding {
        let block = heap.sampling.blocks[index]
        let slot = block.slot.map { slot in
            ": it had \(slot.lowerBound.hex) to \(slot.upperBound.hex) for itself, between pages "
                + "that nobody may use"
        }
        return .init(
            "The block is at \(block.address.hex).",
            evidence: "The sampler's record\(slot ?? "")\(rate.map { "; \($0)" } ?? "").")
    }

    private func bytes(_ count: UInt64) -> String { count.grouped }

    private func inside(_ offset: UInt64, _ count: UInt64?) -> String {
        count == nil ? "\(counted(Int(clamping: offset), "byte")) into" : "\(bytes(offset)) into"
    }

    private func place(
        _ distance: HeapVerdict.Distance, _ count: UInt64?, _ which: String, _ side: String
    ) -> String {
        switch distance {
        case .apart(0): " directly \(side)"
        case .apart(let distance):
            count == nil
                ? " \(counted(Int(clamping: distance), "byte")) \(side)"
                : ", \(bytes(distance)) \(side)"
        case .crossing(1): ", the \(which) of them \(side)"
        case .crossing(let outside): ", the \(which) \(bytes(outside)) of them \(side)"
        }
    }
}

extension HeapErrorWords {
    private func freedTwice(_ index: Int?) -> Diagnosis {
        guard let index else {
            return blockless(.doubleFree, "freed a block twice", "Which one is not known.")
        }
        let size = heap.sampling.blocks[index].size.grouped
        let first = phrases.place(heap.freeing(of: index)).map { "first \($0)" }
        let again = caller.map { "again \($0)" }
        let times = [first, again].compactMap(\.self).joined(separator: ", and ")
        let allocated = phrases.place(heap.allocation(of: index)).map { "it was allocated \($0)" }
        let more = [times.isEmpty ? nil : times, allocated].compactMap(\.self)
        let words = more.isEmpty ? "" : ": \(more.joined(separator: "; "))"
        return made(.doubleFree, "freed a \(size)-byte block twice\(words)", [index])
    }

    private func blockless(
        _ kind: Diagnosis.Kind, _ headline: String, _ statement: String
    ) -> Diagnosis {
        var diagnosis = made(kind, headline, [])
        diagnosis.add(statement, evidence: "The sampler found it in a call of free(3).")
        return diagnosis
    }

    private func freedWrongly(_ index: Int?) -> Diagnosis {
        guard let index, let address = heap.sampling.errorAddress else {
            return blockless(
                .invalidFree, "freed an address that is no block's",
                "The address lies in the pool of sampled allocations, and in none of its blocks.")
        }
        let range = heap.sampling.blocks[index].range
        let place =
            if address < range.lowerBound {
                "\(count(range.lowerBound - address)) before the start of"
            } else if address < range.upperBound {
                "\(count(address - range.lowerBound)) inside of"
            } else if address > range.upperBound {
                "\(count(address - range.upperBound)) past the end of"
            } else {
                "directly past the end of"
            }
        let caller = caller.map { " \($0)" } ?? ""
        return made(
            .invalidFree, "freed an address\(caller), \(place) \(phrases.block(index))", [index])
    }

    private func overwritten(_ index: Int?) -> Diagnosis {
        guard let index, let address = heap.sampling.errorAddress else {
            return blockless(
                .heapOverwrite, "wrote beside a block of its heap", "Which one is not known.")
        }
        let range = heap.sampling.blocks[index].range
        let isBelow = address < range.lowerBound
        let side = isBelow ? "before the start of" : "past the end of"
        let found = caller.map { "; found when it was freed \($0)" } ?? ", found when it was freed"
        let size = heap.sampling.blocks[index].size.grouped
        let allocated = phrases.place(heap.allocation(of: index)).map { " allocated \($0)" } ?? ""
        var diagnosis = made(
            .heapOverwrite, "wrote \(side) a \(size)-byte block\(allocated)\(found)", [index])
        diagnosis.findings.insert(
            .init(
                "The write itself happened earlier, at some time between allocation and freeing: "
                    + "no stack shows it.",
                evidence: bytesFound(
                    isBelow ? range.lowerBound - address : address &- range.upperBound, isBelow)),
            at: 0)
        return diagnosis
    }

    /// The sampler compares the bytes beside a block with a pattern when the block is freed.
    private func bytesFound(_ distance: UInt64, _ isBelow: Bool) -> String {
        let place =
            isBelow
            ? "\(count(distance)) before the block"
            : distance == 0 ? "directly behind the block" : "\(count(distance)) behind the block"
        let bytes = heap.sampling.errorBytes
        guard !bytes.isEmpty else { return "The first byte that was changed is \(place)." }
        return "The first byte that was changed is \(place); memory holds "
            + "\(bytes.spacedHexDigits) from there on."
    }

    private func count(_ bytes: UInt64) -> String { counted(Int(clamping: bytes), "byte") }
}

extension HeapSampling {
    /// `one allocation in 1,000 is sampled`
    package var rateWords: String? {
        rate.map {
            $0 == 1 ? "every allocation is sampled" : "one allocation in \($0.grouped) is sampled"
        }
    }
}
