// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

struct CoreModules {
    private(set) var modules: [ModuleSnapshot] = []
    private(set) var linker: DynamicLinkerSnapshot?
    private(set) var damage: [Damage] = []

    private let notes: CoreNotes
    private let map: AddressMap
    private let memory: any CoreMemory
    private let architecture: Architecture

    private static let countLimit = 4_096
    private static let headSize = 4_096
    private static let vdsoLimit = 1 << 16

    init(
        _ notes: CoreNotes, _ map: AddressMap, _ memory: any CoreMemory,
        _ architecture: Architecture
    ) {
        self.notes = notes
        self.map = map
        self.memory = memory
        self.architecture = architecture
        addFiles()
        addVDSO()
        readLoaderList()
        if let index = modules.firstIndex(where: { $0.kind == .executable }), index > 0 {
            modules.insert(modules.remove(at: index), at: 0)
        }
    }

    private mutating func lose(_ subject: String, _ reason: String) {
        damage.append(Damage(stage: .reading, subject: subject, reason: reason))
    }

    /// Consecutive mappings of one file are a module if they begin with ELF or have code.
    private mutating func addFiles() {
        var group: [MemoryMapping] = []
        for mapping in map.mappings + [MemoryMapping(addressRange: 0..<0)] {
            // Small programs map the page with the header again, as data.
            if let last = group.last, mapping.path == last.path,
                mapping.fileOffset > 0
                    || mapping.addressRange.lowerBound == last.addressRange.upperBound
            {
                group.append(mapping)
                continue
            }
            // Memory without a file: .bss, or a mapping the kernel names otherwise.
            if !group.isEmpty, !mapping.path.hasPrefix("/"), !mapping.addressRange.isEmpty {
                continue
            }
            addModule(group)
            group = mapping.path.hasPrefix("/") && mapping.fileOffset == 0 ? [mapping] : []
        }
    }

    private mutating func addModule(_ group: [MemoryMapping]) {
        guard let first = group.first, let last = group.last else { return }
        guard modules.count < Self.countLimit else {
            if modules.count == Self.countLimit, damage.allSatisfy({ $0.subject != "modules" }) {
                lose("modules", "more than \(Self.countLimit) are mapped; the others were left out")
            }
            return
        }
        let start = first.addressRange.lowerBound
        let head = memory.bytes(at: start, count: Self.headSize)
        var module = ModuleSnapshot(
            path: first.path, addressRange: start..<last.addressRange.upperBound,
            kind: .sharedObject)
        if module.path != module.path.withoutDeletedMark {
            module.fileState = .lost
            module.path = module.installedPath
        }
        setKind(of: &module)
        guard let image = try? ELFImage(head), image.machine == architecture.rawValue else {
            guard group.contains(where: \.isExecutable), !Self.isOther(head) else { return }
            lose(
                "module \(module.name)",
                "its ELF header is not in the core, so it is not known which build it was")
            modules.append(module)
            return
        }
        describe(&module, image)
        modules.append(module)
    }

    private static func isOther(_ head: ByteSlice) -> Bool {
        head.count >= 4 && head.slice(from: 0, length: 4).array != [0x7f, 0x45, 0x4c, 0x46]
    }

    private func setKind(of module: inout ModuleSnapshot) {
        let headers = notes.auxiliary(AuxiliaryType.programHeaders)
        if let headers, module.addressRange.contains(headers) { module.kind = .executable }
        if let base = notes.auxiliary(AuxiliaryType.loaderBase), base != 0,
            module.addressRange.lowerBound == base
        {
            module.kind = .loader
        }
    }

    private func describe(_ module: inout ModuleSnapshot, _ image: ELFImage) {
        let start = module.addressRange.lowerBound
        guard let lowest = image.lowestAddress() else { return }
        let bias = start &- lowest
        module.loadBias = bias
        let ends = image.loadableSegments.map { $0.address &+ $0.memorySize }
        if let end = ends.max() {
            let pages = (end &+ bias &+ 4095) & ~4095
            // .bss may be an unnamed mapping behind the file's.
            if pages > start, pages - start < 1 << 40 { module.addressRange = start..<pages }
        }
        module.buildID = buildID(image, bias)
        if let dynamic = image.segments.first(where: { $0.type == 2 }) {
            module.dynamicSectionAddress = dynamic.address &+ bias
        }
        module.soname = image.soname
    }

    /// NT_GNU_BUILD_ID by address: many program headers push it out of the first page.
    private func buildID(_ image: ELFImage, _ bias: UInt64) -> [UInt8] {
        guard image.buildID.isEmpty else { return image.buildID }
        for segment in image.segments where segment.type == CoreSegment.note {
            let size = min(segment.memorySize, 1 << 12)
            let bytes = memory.bytes(at: segment.address &+ bias, count: Int(size))
            let header = CoreSegment(
                type: CoreSegment.note, flags: 4, fileOffset: 0, address: 0,
                fileSize: UInt64(bytes.count), memorySize: 0)
            var stream = NoteStream(header, of: CoreBytes(ByteSlice(bytes.array)))
            while let note = stream.next() {
                if note.name == "GNU", note.type == 3, 1...64 ~= note.contents.count {
                    return note.contents.array
                }
            }
        }
        return []
    }

    private mutating func addVDSO() {
        guard let address = notes.auxiliary(AuxiliaryType.vdso),
            let mapping = map.mapping(at: address)
        else { return }
        let size = Int(clamping: mapping.addressRange.upperBound - address)
        let bytes = memory.bytes(at: address, count: min(size, Self.vdsoLimit))
        var module = ModuleSnapshot(
            path: "linux-vdso.so.1", addressRange: address..<mapping.addressRange.upperBound,
            kind: .vdso)
        if !bytes.isEmpty {
            let image = ByteSlice(bytes.array)
            module.image = image
            let elf = try? ELFImage(image)
            module.buildID = elf?.buildID ?? []
            module.soname = elf?.soname
            module.loadBias = elf.flatMap { $0.lowestAddress() }.map { address &- $0 }
        }
        modules.append(module)
    }

    /// Users know the loader's names; the kernel's have symbolic links resolved.
    private mutating func readLoaderList() {
        guard let program = modules.first(where: { $0.kind == .executable }),
            let address = program.dynamicSectionAddress,
            let list = LoaderList(dynamicSection: address, size: 1 << 12, memory)
        else { return }
        linker = list.linker
        if let problem = list.problem { lose("dynamic linker's list", problem) }
        var byDynamic: [UInt64: Int] = [:]
        for (index, module) in modules.enumerated() {
            if let address = module.dynamicSectionAddress { byDynamic[address] = index }
        }
        for entry in list.entries {
            guard let index = byDynamic[entry.dynamicSectionAddress] else { continue }
            modules[index].loadBias = entry.loadBias
            if entry.path.hasPrefix("/"), modules[index].kind != .executable,
                modules[index].fileState == nil
            {
                modules[index].path = entry.path
            }
        }
    }
}
