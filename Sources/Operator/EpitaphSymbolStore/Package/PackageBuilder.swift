// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSymbols
import EpitaphSystem
import EpitaphValues

/// Packs `.dwo` files like dwp(1), but merges no texts: DWARF 5, 7.3.5, or GCC's form for 4.
struct PackageBuilder {
    struct Refusal: Error, Sendable {
        let reason: String
    }

    private struct Row {
        let id: UInt64
        var parts: [String: Range<UInt32>]
    }

    private var version: UInt16 = 0
    private var machine: UInt16 = 0
    private var sections: [String: ByteBuilder] = [:]
    private var compilationUnits: [Row] = []
    private var typeUnits: [Row] = []
    private var types: Set<UInt64> = []
    private var shares: [HeldShare] = []
    private static let texts = ".debug_str.dwo"
    private static let textOffsets = ".debug_str_offsets.dwo"

    /// - Parameter units: of one program, all found in `.dwo` files.
    init(_ units: [DebugInformationParts.SplitUnit]) throws(Refusal) {
        var ids: [String: [UInt64]] = [:]
        var paths: [String] = []
        for unit in units {
            guard let path = unit.path else { throw Refusal(reason: "\(unit.name) is not there") }
            if ids[path] == nil { paths.append(path) }
            ids[path, default: []].append(unit.id)
        }
        for path in paths {
            try rethrowing(add(SplitFile(path, ids: ids[path] ?? []), path)) {
                (error: LibelfMemory.Refusal) in Refusal(reason: error.reason)
            }
        }
        let found = Set(compilationUnits.map(\.id))
        guard units.allSatisfy({ found.contains($0.id) }) else {
            throw Refusal(reason: "a unit is missing in its file")
        }
    }

    private mutating func add(
        _ file: SplitFile, _ path: String
    ) throws(LibelfMemory.Refusal) {
        guard version == 0 || version == file.version else {
            throw .init(reason: "\(path) has another version of DWARF than those before it")
        }
        version = file.version
        machine = file.machine
        let texts = try append(file.section(named: Self.texts), to: Self.texts)
        var shared: [String: Range<UInt32>] = [:]
        for name in SplitFile.shared {
            let bytes = file.section(named: name)
            guard !bytes.isEmpty else { continue }
            let moved = name == Self.textOffsets ? moved(bytes, by: texts.lowerBound) : bytes
            guard let moved else {
                throw .init(reason: "the texts of \(path) cannot be found")
            }
            shared[name] = try append(moved, to: name)
        }
        for unit in file.units {
            // Many files have the same types.
            if unit.isType, !types.insert(unit.id).inserted { continue }
            var row = Row(id: unit.id, parts: shared)
            row.parts[unit.section] = try append(unit.bytes, to: unit.section)
            if unit.isType { typeUnits.append(row) } else { compilationUnits.append(row) }
        }
    }

    private mutating func append(
        _ bytes: ByteSlice, to name: String
    ) throws(LibelfMemory.Refusal) -> Range<UInt32> {
        let start = sections[name, default: ByteBuilder()].count
        guard let end = UInt32(exactly: start + bytes.count) else {
            throw .init(reason: "\(name) would have more than 4 GiB")
        }
        guard let share = HeldShare(bytes.count) else { throw .init(reason: HeldMemory.shortage) }
        shares.append(share)
        sections[name, default: ByteBuilder()].append(bytes)
        return UInt32(start)..<end
    }

    /// Version 5 tables of text offsets begin with length, version and padding: DWARF 5, 7.26.
    private func moved(_ bytes: ByteSlice, by distance: UInt32) -> ByteSlice? {
        var result = ByteBuilder()
        var cursor = ByteCursor(bytes)
        while !cursor.isAtEnd {
            var count = cursor.remainingCount / 4
            if version == 5 {
                guard let length = try? cursor.read(UInt32.self), length >= 4,
                    Int(length) <= cursor.remainingCount,
                    let head = try? cursor.read(UInt32.self)
                else { return nil }
                result.append(length)
                result.append(head)
                count = (Int(length) - 4) / 4
            }
            for _ in 0..<count {
                guard let offset = try? cursor.read(UInt32.self) else { return nil }
                result.append(offset &+ distance)
            }
            if version == 4 { break }
        }
        return ByteSlice(result.bytes)
    }

    private var columns: [(name: String, number: UInt32)] {
        let names =
            version == 5
            ? ["info", "", "abbrev", "line", "loclists", "str_offsets", "macro", "rnglists"]
            : ["info", "types", "abbrev", "line", "loc", "str_offsets", "macinfo", "macro"]
        return names.enumerated().map { (".debug_\($1).dwo", UInt32($0) + 1) }
            .filter { sections[$0.0] != nil }
    }

    func write(to file: FileDescriptor) throws(SystemError) {
        var all = sections.inKeyOrder
        let rows = [(".debug_cu_index", compilationUnits), (".debug_tu_index", typeUnits)]
        for (name, rows) in rows where !rows.isEmpty {
            let isTypes = name == ".debug_tu_index"
            all.append((name, index(rows, columns(ofTypes: isTypes))))
        }
        var sink = FileSink(file)
        try PackageLayout(all.map { ($0.key, $0.value) }, machine: machine).write(to: &sink)
    }

    /// Types of version 4 have a section of their own.
    private func columns(ofTypes isTypes: Bool) -> [(name: String, number: UInt32)] {
        guard version == 4 else { return columns }
        return columns.filter { $0.name != (isTypes ? SplitFile.info : SplitFile.types) }
    }

    /// DWARF 5, 7.3.5.3: a hash table of units, with rows of offsets and sizes.
    private func index(
        _ rows: [Row], _ columns: [(name: String, number: UInt32)]
    ) -> ByteBuilder {
        // A power of two above three halves of the units.
        var slotCount = 1
        while slotCount <= rows.count * 3 / 2 { slotCount *= 2 }
        var ids = [UInt64](repeating: 0, count: slotCount)
        var numbers = [UInt32](repeating: 0, count: slotCount)
        let mask = UInt64(slotCount - 1)
        for (number, row) in rows.enumerated() {
            var slot = row.id & mask
            while numbers[Int(slot)] != 0 { slot = (slot + ((row.id >> 32) & mask | 1)) & mask }
            ids[Int(slot)] = row.id
            numbers[Int(slot)] = UInt32(number) + 1
        }
        var result = ByteBuilder()
        // 16 bits and padding in version 5, 32 bits in version 2.
        result.append(UInt32(version == 5 ? 5 : 2))
        for count in [columns.count, rows.count, slotCount] { result.append(UInt32(count)) }
        ids.forEach { result.append($0) }
        numbers.forEach { result.append($0) }
        columns.forEach { result.append($0.number) }
        for row in rows {
            for column in columns { result.append(row.parts[column.name]?.lowerBound ?? 0) }
        }
        for row in rows {
            for column in columns { result.append(UInt32(row.parts[column.name]?.count ?? 0)) }
        }
        return result
    }
}
