// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension FieldReader {
    mutating func modules(_ root: DumpMap) -> [ModuleSnapshot] {
        var modules = elements(.modules, in: root) { map, fields in fields.module(map) }
        if let index = modules.firstIndex(where: { $0.kind == .executable }), index > 0 {
            modules.insert(modules.remove(at: index), at: 0)
        }
        let states = fileStates(root)
        for index in modules.indices {
            modules[index].fileState = states[modules[index].addressRange.lowerBound]
            modules[index].path = modules[index].installedPath
        }
        return modules
    }

    mutating func unloadedModules(_ root: DumpMap) -> [ModuleSnapshot] {
        elements(.unloadedModules, in: root) { map, fields in fields.module(map) }
    }

    /// By the modules' first addresses. A separate list because the executable is written first.
    private mutating func fileStates(_ root: DumpMap) -> [UInt64: ModuleSnapshot.FileState] {
        var states: [UInt64: ModuleSnapshot.FileState] = [:]
        _ = elements(.moduleFiles, in: root) { map, fields -> Void? in
            guard let address = fields.integer(.moduleAddress, in: map, as: UInt64.self),
                let number = fields.integer(.moduleFileState, in: map, as: UInt8.self)
            else { return nil }
            if let state = ModuleSnapshot.FileState(rawValue: number) {
                states[address] = state
            } else {
                fields.note(
                    .moduleFileState, in: map,
                    "MODULE_FILE_STATE \(number) is not known and was left out")
            }
            return nil
        }
        return states
    }

    private mutating func module(_ map: DumpMap) -> ModuleSnapshot? {
        guard let address = integer(.moduleAddress, in: map, as: UInt64.self),
            let size = integer(.moduleSize, in: map, as: UInt64.self)
        else {
            note(.moduleAddress, in: map, "a module has no address range")
            return nil
        }
        guard let range = Range(at: address, count: size) else {
            note(.moduleSize, in: map, "a module leaves the address space and was left out")
            return nil
        }
        var module = ModuleSnapshot(
            path: text(.moduleName, in: map) ?? "", addressRange: range,
            kind: value(
                .moduleKind, in: map, or: .sharedObject, takenAs: "a shared object"))
        module.loadBias = integer(.moduleLoadBias, in: map)
        module.buildID = buildID(map)
        module.soname = text(.moduleSoname, in: map)
        // A static program has none.
        module.dynamicSectionAddress = integer(.moduleDynamicAddress, in: map)
            .flatMap { $0 == 0 ? nil : $0 }
        module.image = bytes(.moduleImage, in: map)
        return module
    }

    // A cut build id would identify another file, so one that is cut or too long is ignored.
    private mutating func buildID(_ map: DumpMap) -> [UInt8] {
        guard let property = map.property(.moduleBuildID) else { return [] }
        guard !property.isCut, property.payload.count <= Self.buildIDLimit else {
            note("offset \(property.offset.hex)", "MODULE_BUILD_ID makes no sense; it was left out")
            return []
        }
        return property.payload.array
    }

    /// ld(1) writes 16 or 20 bytes, or any given by --build-id=0x…; none is longer in practice.
    private static let buildIDLimit = 64

    mutating func dynamicLinker(_ map: DumpMap) -> DynamicLinkerSnapshot {
        var linker = DynamicLinkerSnapshot()
        linker.version = integer(.dynamicLinkerVersion, in: map) ?? 0
        linker.breakpointAddress = integer(.dynamicLinkerBreakpoint, in: map) ?? 0
        linker.baseAddress = integer(.dynamicLinkerBase, in: map) ?? 0
        linker.dynamicSectionAddress = integer(.dynamicSectionAddress, in: map) ?? 0
        linker.dynamicSection = bytes(.dynamicSectionData, in: map) ?? .empty
        return linker
    }
}
