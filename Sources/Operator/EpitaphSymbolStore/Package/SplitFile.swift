// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSymbols
import EpitaphSystem
import EpitaphValues

struct SplitFile {
    struct Unit {
        let id: UInt64
        let isType: Bool
        let section: String
        let bytes: ByteSlice
    }

    /// 4 or 5: an index cannot mix versions.
    let version: UInt16
    let machine: UInt16
    private(set) var units: [Unit] = []
    // Owns the units' bytes.
    private let memory: LibelfMemory

    static let info = ".debug_info.dwo"
    static let types = ".debug_types.dwo"
    /// Sections that each unit uses as a whole.
    static let shared = [
        "abbrev", "line", "loc", "loclists", "macinfo", "macro", "rnglists", "str_offsets",
    ].map { ".debug_\($0).dwo" }

    /// - Parameter ids: of the wanted compilation units. Version 4 headers do not have them.
    init(_ path: String, ids: [UInt64]) throws(LibelfMemory.Refusal) {
        let image: ELFImage
        do {
            image = try ELFImage(ForeignFile.contents(of: path))
        } catch {
            throw .init(reason: "\(path) cannot be read: \(error)")
        }
        let sections = image.sections.filter { $0.name.hasSuffix(".dwo") }
        memory = try LibelfMemory(
            sections.compactMap { DebugSection($0, of: image) }, machine: image.machine)
        machine = image.machine
        // Behind the first unit's length.
        version = memory.section(named: Self.info).load(at: 4, as: UInt16.self) ?? 0
        guard version == 4 || version == 5 else {
            throw .init(reason: "\(path) has DWARF \(version), which cannot be packed")
        }
        for section in [Self.info, Self.types] {
            let found = Self.units(in: section, of: memory.section(named: section), ids)
            guard let found else {
                throw .init(reason: "the units of \(path) cannot be separated")
            }
            units += found
        }
    }

    func section(named name: String) -> ByteSlice { memory.section(named: name) }

    private static func units(
        in section: String, of bytes: ByteSlice, _ ids: [UInt64]
    ) -> [Unit]? {
        var units: [Unit] = []
        var offset = 0
        while offset < bytes.count {
            guard let length = bytes.load(at: offset, as: UInt32.self),
                let version = bytes.load(at: offset + 4, as: UInt16.self), length >= 7,
                // 0xfffffff0 and above announce the 64-bit format.
                length < 0xffff_fff0, Int(length) <= bytes.count - offset - 4
            else { return nil }
            let unit = bytes.slice(from: offset, length: Int(length) + 4)
            guard let (id, isType) = identity(unit, version, section, ids) else { return nil }
            units.append(Unit(id: id, isType: isType, section: section, bytes: unit))
            offset += unit.count
        }
        return units
    }

    /// DWARF 5, 7.5.1: version 5 has the kind of unit, and the id behind the common part.
    private static func identity(
        _ unit: ByteSlice, _ version: UInt16, _ section: String, _ ids: [UInt64]
    ) -> (UInt64, Bool)? {
        if version == 5 {
            // DW_UT_split_compile 5, DW_UT_split_type 6
            guard let kind = unit.byte(at: 6), kind == 5 || kind == 6 else { return nil }
            return unit.load(at: 12, as: UInt64.self).map { ($0, kind == 6) }
        }
        guard section == info else {
            return unit.load(at: 11, as: UInt64.self).map { ($0, true) }
        }
        return ids.count == 1 ? (ids[0], false) : nil
    }
}
