// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Words that point into these ranges may be kept: they say where something was, not what.
struct KnownRanges: Sendable, Equatable {
    /// Breakpad's limit (linux_dumper.cc, SanitizeStackCopy). Two letters and six zeros may pass
    /// for an integer; three letters do not.
    static let smallIntegerLimit: Int64 = 4096
    /// Longer ranges are reserved address space: too much text would look like an address in them.
    private static let byteCountLimit: UInt64 = 1 << 40

    /// Sorted, without overlaps.
    let ranges: [Range<UInt64>]
    /// The parts of `ranges` with code, the targets of return addresses.
    let code: [Range<UInt64>]
    let returnAddressMask: UInt64
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
