// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Lays the dynamic linker's list out in memory again: debuggers find libraries only through the
/// address in the program's dynamic section.
enum RebuiltLoaderList {
    private static let recordSize = 40
    private static let step: UInt64 = 1 << 20

    /// Empty if the list is unknown. Overrides captured memory, which may lack modules.
    static func regions(_ snapshot: ProcessSnapshot) -> [MemoryRegion] {
        guard let linker = snapshot.dynamicLinker, !linker.dynamicSection.isEmpty,
            let address = linker.dynamicSection.value(of: LoaderList.debugTag), address != 0
        else { return [] }
        let section = MemoryRegion(
            address: linker.dynamicSectionAddress, bytes: linker.dynamicSection)
        let modules = snapshot.modules.filter {
            $0.loadBias != nil && $0.dynamicSectionAddress != nil
        }
        let nodes = nodes(of: modules, at: freeAddress(snapshot))
        var record = ByteBuilder()
        record.append(UInt64(max(1, linker.version)))
        record.append(modules.isEmpty ? 0 : nodes.address)
        record.append(linker.breakpointAddress)
        record.append(UInt64(0))  // RT_CONSISTENT
        record.append(linker.baseAddress)
        return [section, MemoryRegion(address: address, bytes: ByteSlice(record.bytes)), nodes]
    }

    /// `struct link_map` of each module, followed by their names.
    private static func nodes(of modules: [ModuleSnapshot], at start: UInt64) -> MemoryRegion {
        var names = ByteBuilder()
        var nodes = ByteBuilder()
        let namesStart = start + UInt64(modules.count * recordSize)
        for (index, module) in modules.enumerated() {
            let own = start + UInt64(index * recordSize)
            nodes.append(module.loadBias ?? 0)
            nodes.append(namesStart + UInt64(names.count))
            nodes.append(module.dynamicSectionAddress ?? 0)
            nodes.append(index + 1 < modules.count ? own + UInt64(recordSize) : 0)
            nodes.append(index > 0 ? own - UInt64(recordSize) : 0)
            // The program has no name in the list.
            names.append(index == 0 && module.kind == .executable ? "" : module.path)
            names.appendZeros(1)
        }
        nodes.append(names.bytes)
        return MemoryRegion(address: start, bytes: ByteSlice(nodes.bytes))
    }

    /// The lowest address, from 1 MiB on, with a free mebibyte behind it.
    private static func freeAddress(_ snapshot: ProcessSnapshot) -> UInt64 {
        let taken =
            (snapshot.mappings.map(\.addressRange) + snapshot.modules.map(\.addressRange)
            + snapshot.memory.map(\.addressRange)
            + snapshot.threads.compactMap { $0.stack?.addressRange })
            .sorted { $0.lowerBound < $1.lowerBound }
        var address = step
        for range in taken {
            guard range.lowerBound < address + step else { break }
            let (end, overflow) = range.upperBound.addingReportingOverflow(step - 1)
            if !overflow { address = max(address, end / step * step) }
            // No process has memory there, so the report is invalid and needs no list.
            guard address < 1 << 56 else { return step }
        }
        return address
    }
}
