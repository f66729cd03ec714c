// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The order and place in the file of the minidump's memory.
struct MemoryPlan: Sendable {
    /// Crashpad's alignment of each run, in bytes.
    static let alignment: UInt64 = 16

    private(set) var runs: [MemoryRun]
    private(set) var locations: [Location] = []
    private var byAddress: [Int] = []

    /// The most useful memory first, because the end is dropped: the crashing thread's stack,
    /// memory around the crashing instruction, the other stacks, the rest by address.
    init(threads: [WrittenThread], snapshot: ProcessSnapshot) {
        let stacks = threads.compactMap(\.thread.stack)
        var others = snapshot.memory
        for module in snapshot.modules {
            guard let image = module.image else { continue }
            others.append(MemoryRegion(address: module.addressRange.lowerBound, bytes: image))
        }
        runs = MemoryMerging.runs(preferred: stacks, others: others)

        var wanted = stacks.prefix(1).map(\.address)
        if let pointer = snapshot.exception?.registers?.instructionPointer {
            wanted.append(pointer)
        }
        wanted += stacks.dropFirst().map(\.address)
        let first = Self.distinct(wanted.compactMap { Self.index(of: $0, in: runs) { $0 } })
        let isFirst = Set(first)
        runs = (first + runs.indices.filter { !isFirst.contains($0) }).map { runs[$0] }
    }

    /// Drops what does not fit below `limit`, from `offset` on. Returns that as damage.
    mutating func fit(from offset: UInt64, limit: UInt64) -> Damage? {
        var end = offset
        var kept = 0
        for run in runs {
            let start = FileLayout.aligned(end, to: Self.alignment)
            let (newEnd, overflow) = start.addingReportingOverflow(run.byteCount)
            guard !overflow, newEnd <= limit else { break }
            end = newEnd
            kept += 1
        }
        let dropped = runs[kept...]
        guard !dropped.isEmpty else { return nil }
        let byteCount = dropped.reduce(UInt64(0)) { $0 &+ $1.byteCount }
        runs.removeSubrange(kept...)
        return Damage(
            stage: .writing, subject: "memory",
            reason: "\(dropped.count) ranges with \(byteCount) bytes do not fit into a minidump")
    }

    mutating func place(in layout: inout FileLayout) {
        for run in runs {
            let parts = run.parts.enumerated().map { index, part in
                layout.place(
                    .slice(part), alignment: index == 0 ? Self.alignment : 1, for: "memory")
            }
            locations.append(
                Location(
                    size: UInt32(truncatingIfNeeded: run.byteCount),
                    offset: parts.first?.offset ?? 0))
        }
        byAddress = runs.indices.sorted { runs[$0].address < runs[$1].address }
    }

    func location(of region: MemoryRegion) -> Location {
        guard !region.bytes.isEmpty,
            let found = Self.index(of: region.address, in: byAddress, { runs[$0] })
        else { return .none }
        let run = byAddress[found]
        let skipped = region.address - runs[run].address
        guard let offset = UInt32(exactly: UInt64(locations[run].offset) + skipped),
            let size = UInt32(exactly: region.bytes.count)
        else { return .none }
        return Location(size: size, offset: offset)
    }

    private static func index<Element>(
        of address: UInt64, in list: [Element], _ run: (Element) -> MemoryRun
    ) -> Int? {
        let low = list.prefixCount { run($0).endAddress <= address }
        return low < list.count && run(list[low]).address <= address ? low : nil
    }

    private static func distinct(_ indices: [Int]) -> [Int] {
        var seen: Set<Int> = []
        return indices.filter { seen.insert($0).inserted }
    }
}
