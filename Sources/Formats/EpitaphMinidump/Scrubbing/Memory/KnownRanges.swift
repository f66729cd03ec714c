// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Addresses that reveal no data: a word that points into these ranges may stay, because an address
/// says where something was and not what it was.
struct KnownRanges: Sendable, Equatable {
    /// Integers up to this magnitude stay: Breakpad's limit (linux_dumper.cc, SanitizeStackCopy).
    /// Two letters and six zeros may look like one; three letters do not.
    static let smallIntegerLimit: Int64 = 4096
    /// Longer ranges are not modules or stacks but reserved address space, and too much text would
    /// look like an address in it.
    private static let byteCountLimit: UInt64 = 1 << 40

    /// In order, without overlaps.
    let ranges: [Range<UInt64>]
    /// The part of `ranges` that contains code, which return addresses point to.
    let code: [Range<UInt64>]
    /// The bits of an aarch64 return address that belong to the address; the others may hold an
    /// authentication code.
    let returnAddressMask: UInt64
    /// From the lowest known address to the highest: most words are outside.
    private let bounds: Range<UInt64>

    init(ranges: [Range<UInt64>], code: [Range<UInt64>], returnAddressMask: UInt64 = .max) {
        let isSane = { (range: Range<UInt64>) in
            range.upperBound - range.lowerBound <= Self.byteCountLimit
        }
        self.code = OrderedRanges.merged(code.filter(isSane))
        self.ranges = OrderedRanges.merged((ranges + code).filter(isSane))
        self.returnAddressMask = returnAddressMask
        bounds = (self.ranges.first?.lowerBound ?? 0)..<(self.ranges.last?.upperBound ?? 0)
    }

    /// Those of a snapshot: its modules, code outside all modules, the mappings that contain its
    /// stacks, and the memory that stays.
    init(_ snapshot: ProcessSnapshot, stacks: [Range<UInt64>], memory: [Range<UInt64>]) {
        let mappings = snapshot.mappings
        let executable = mappings.filter(\.isExecutable).map(\.addressRange)
        let starts = stacks.map(\.lowerBound).sorted()
        let stackMappings = mappings.map(\.addressRange).filter { range in
            let index = starts.prefixCount { $0 < range.lowerBound }
            return index < starts.count && starts[index] < range.upperBound
        }
        // Without a map only a module's whole range is known, not its code.
        let modules = snapshot.modules.map(\.addressRange)
        self.init(
            ranges: modules + stackMappings + stacks + memory,
            code: executable.isEmpty ? modules : executable,
            returnAddressMask: snapshot.architecture == .aarch64
                ? snapshot.system.addressMask ?? 0xffff_ffff_ffff : .max)
    }

    /// Whether a word may stay as it is. A word of 32 bits must be sign-extended.
    func keep(_ word: UInt64) -> Bool {
        let integer = Int64(bitPattern: word)
        if integer <= Self.smallIntegerLimit, integer >= -Self.smallIntegerLimit { return true }
        if bounds.contains(word), Self.contains(word, in: ranges) { return true }
        let address = word & returnAddressMask
        return address != word && Self.contains(address, in: code)
    }

    private static func contains(_ address: UInt64, in ranges: [Range<UInt64>]) -> Bool {
        let index = ranges.prefixCount { $0.upperBound <= address }
        return index < ranges.count && ranges[index].lowerBound <= address
    }
}
