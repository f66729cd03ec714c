// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

/// The dynamic linker's list in memory: `struct r_debug` and `struct link_map` of link.h.
struct LoaderList {
    struct Entry {
        let loadBias: UInt64
        let path: String
        let dynamicSectionAddress: UInt64
    }

    var linker: DynamicLinkerSnapshot
    /// In the loader's order; the program comes first and has no path.
    var entries: [Entry] = []
    /// Why the list ends early, as a clause; nil if it does not.
    var problem: String?
    let address: UInt64

    private static let countLimit = 4_096
    private static let pathLimit = 4_096
    private static let dynamicSectionLimit = 1 << 16
    static let debugTag: UInt64 = 21

    init?(dynamicSection address: UInt64, size: UInt64, _ memory: any CoreMemory) {
        let wanted = Int(clamping: min(size, UInt64(Self.dynamicSectionLimit)))
        let section = ByteSlice(memory.bytes(at: address, count: wanted).array)
        guard let debug = section.value(of: Self.debugTag), debug != 0 else { return nil }
        let record = memory.bytes(at: debug, count: 40)
        guard let version = record.load(at: 0, as: UInt32.self),
            let first = record.load(at: 8, as: UInt64.self),
            let breakpoint = record.load(at: 16, as: UInt64.self),
            let base = record.load(at: 32, as: UInt64.self), (1...2).contains(version)
        else { return nil }
        self.address = debug
        linker = DynamicLinkerSnapshot()
        linker.version = version
        linker.breakpointAddress = breakpoint
        linker.baseAddress = base
        linker.dynamicSectionAddress = address
        linker.dynamicSection = section
        follow(first, memory)
    }

    /// l_addr, l_name, l_ld, l_next, l_prev.
    private mutating func follow(_ first: UInt64, _ memory: any CoreMemory) {
        var next = first
        var known: Set<UInt64> = []
        while next != 0 {
            guard known.insert(next).inserted, entries.count < Self.countLimit else {
                problem = "the loader's list goes in a circle or is too long"
                return
            }
            let node = memory.bytes(at: next, count: 40)
            guard let bias = node.load(at: 0, as: UInt64.self),
                let name = node.load(at: 8, as: UInt64.self),
                let dynamic = node.load(at: 16, as: UInt64.self),
                let following = node.load(at: 24, as: UInt64.self)
            else {
                problem = "the loader's list leads to memory that is not in the core"
                return
            }
            entries.append(
                Entry(
                    loadBias: bias, path: memory.text(at: name, limit: Self.pathLimit) ?? "",
                    dynamicSectionAddress: dynamic))
            next = following
        }
    }
}
