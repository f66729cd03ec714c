// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Decides by address which captured memory to keep.
struct MemoryChoice {
    struct Stack {
        /// File offset of the thread's record.
        let record: Int
        let region: CapturedRegion
        let isKept: Bool
        /// False if only the memory list has its bytes.
        let isInThreadList: Bool
    }

    let stacks: [Stack]
    /// 4 or 8; nil for an unknown processor.
    let wordByteCount: Int?
    private let rule: ScrubbingRules.Memory
    private let sanitizes: Bool
    private let keptStacks: [Range<UInt64>]
    private let code: [Range<UInt64>]

    init(
        _ file: MinidumpBytes, rules: ScrubbingRules, snapshot: ProcessSnapshot,
        threads: [Int], crashingThread: UInt32?, regions: [CapturedRegion]
    ) {
        rule = rules.memory
        sanitizes = rules.sanitizesStacks
        wordByteCount =
            snapshot.architecture == .unknown ? nil : snapshot.architecture.has32BitPointers ? 4 : 8
        code = Self.code(of: snapshot)
        let hasWords = !rules.sanitizesStacks || wordByteCount != nil
        stacks = threads.compactMap { record in
            let isKept =
                switch rules.memory {
                case .all, .stacks: hasWords
                case .crashingStack: hasWords && file.u32(record) == crashingThread
                case .none: false
                }
            let own = file.location(at: record + 32)
            guard let address = file.u64(record + 24), address != 0 || !own.isEmpty else {
                return nil
            }
            if !own.isEmpty {
                let region = CapturedRegion(address: address, file: own)
                return Stack(record: record, region: region, isKept: isKept, isInThreadList: true)
            }
            let index = regions.prefixCount { $0.addresses.upperBound <= address }
            guard index < regions.count, regions[index].addresses.contains(address) else {
                return nil
            }
            return Stack(
                record: record, region: regions[index], isKept: isKept, isInThreadList: false)
        }
        keptStacks = OrderedRanges.merged(stacks.filter(\.isKept).map(\.region.addresses))
    }

    /// Code from files, which is not user data. Without a map nothing counts as code.
    private static func code(of snapshot: ProcessSnapshot) -> [Range<UInt64>] {
        let modules = OrderedRanges.merged(snapshot.modules.map(\.addressRange))
        let mappings = snapshot.mappings.filter { $0.isExecutable && !$0.isWritable }
        return OrderedRanges.merged(
            mappings.flatMap { OrderedRanges.common($0.addressRange, with: modules) })
    }

    /// Not only the crashing thread's.
    var keepsEveryStack: Bool {
        (rule == .all || rule == .stacks) && (!sanitizes || wordByteCount != nil)
    }

    func parts(of region: CapturedRegion) -> KeptParts {
        var parts = KeptParts()
        guard rule != .none else { return parts }
        let addresses = region.addresses
        if rule == .all {
            parts.code = OrderedRanges.common(addresses, with: code)
            parts.data = OrderedRanges.gaps(in: addresses, between: parts.code)
        } else {
            parts.data = OrderedRanges.common(addresses, with: keptStacks)
            parts.code = OrderedRanges.gaps(in: addresses, between: parts.data)
                .flatMap { OrderedRanges.common($0, with: code) }
        }
        if sanitizes, wordByteCount == nil { parts.data = [] }
        return parts
    }
}
