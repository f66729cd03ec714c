// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries
import EpitaphELF
import EpitaphSystem
import EpitaphValues

struct SplitUnit {
    let entry: DIE
    let addresses: SplitAddresses
}

/// Finds the other half of split units: in the object file's `.dwo`, or in the package made by
/// dwp(1). DWARF 5, 3.1.2, and GCC's "DebugFission" for DWARF 4. libdw 0.188 does not read
/// packages, and looks beside the program only if it was opened by path.
final class SplitUnits {
    private let main: LibdwFile
    private let directories: [String]
    private let budget: WorkBudget
    private let packages: [PackageFile]
    private var opened: [String: LibdwFile?] = [:]

    init(of main: LibdwFile, paths: [String], _ budget: WorkBudget) {
        self.main = main
        self.budget = budget
        directories = paths.map(\.parentPath)
        let bases = paths + paths.filter { $0.hasSuffix(".debug") }.map { String($0.dropLast(6)) }
        packages = bases.compactMap { PackageFile(path: $0 + ".dwp") }
    }

    func unit(of skeleton: DIE) -> SplitUnit? {
        reference(of: skeleton).flatMap { found($0, skeleton)?.unit }
    }

    /// A skeleton's reference to its other half.
    struct Reference {
        /// DW_AT_dwo_name
        let name: String?
        let id: UInt64
    }

    func reference(of skeleton: DIE) -> Reference? {
        guard let identity = skeleton.identity, identity.type == UInt8(DW_UT_skeleton) else {
            return nil
        }
        return Reference(
            name: skeleton.ownText(Int(DW_AT_dwo_name))
                ?? skeleton.ownText(Int(DW_AT_GNU_dwo_name)),
            id: identity.id)
    }

    func found(_ reference: Reference, _ skeleton: DIE) -> (unit: SplitUnit, path: String)? {
        for path in candidates(reference.name, skeleton) {
            guard let file = open(path), let unit = half(of: skeleton, reference.id, in: file)
            else { continue }
            return (unit, path)
        }
        for package in packages {
            guard let file = package.file(ofUnit: reference.id),
                let unit = half(of: skeleton, reference.id, in: file)
            else { continue }
            return (unit, package.path)
        }
        return nil
    }

    private func half(of skeleton: DIE, _ id: UInt64, in file: LibdwFile) -> SplitUnit? {
        let entry = file.unitEntries(budget).first {
            $0.identity.map { $0.id == id && $0.type == UInt8(DW_UT_split_compile) } ?? false
        }
        guard let entry else { return nil }
        let addresses = SplitAddresses(of: skeleton, in: main, split: file)
        return SplitUnit(entry: entry, addresses: addresses)
    }

    private func candidates(_ name: String?, _ skeleton: DIE) -> [String] {
        guard let name, !name.isEmpty else { return [] }
        var paths: [String] = []
        if name.hasPrefix("/") {
            paths.append(name)
        } else if let directory = skeleton.ownText(Int(DW_AT_comp_dir)) {
            paths.append(directory + "/" + name)
        }
        let last = name.lastPathComponent
        for directory in directories {
            paths += Set([name.hasPrefix("/") ? last : name, last]).map { directory + "/" + $0 }
        }
        return paths
    }

    private func open(_ path: String) -> LibdwFile? {
        if let known = opened[path] { return known }
        let bytes = try? ForeignFile.contents(of: path)
        let file = bytes.flatMap { try? ELFImage($0) }.flatMap { try? LibdwFile($0) }
        opened[path] = .some(file)
        return file
    }
}

extension DIE {
    /// The unit's kind, DW_UT_..., and the id shared by both halves of a split unit.
    fileprivate var identity: (type: UInt8, id: UInt64)? {
        var type: UInt8 = 0
        var id: UInt64 = 0
        guard epitaph_dwarf_cu_info(raw.cu, nil, &type, nil, nil, &id, nil, nil) == 0 else {
            return nil
        }
        return (type, id)
    }
}
