// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

package struct ELFSymbol: Sendable, Equatable {
    /// As in the string table, mangled, without the symbol version.
    package let name: String
    /// `st_value`
    package let address: UInt64
    package let size: UInt64
}

/// The functions of an image by address: `.symtab`, or `.dynsym` if stripped. Read once; keep it.
package struct ELFSymbolTable: Sendable {
    private struct Entry {
        let address: UInt64
        let size: UInt64
        let nameOffset: UInt32
        /// STB_GLOBAL 0, STB_WEAK 1, STB_LOCAL 2: a function's most public name is shown.
        let rank: UInt8

        /// Hand-written assembly omits the size; then only the first byte certainly belongs to it.
        var reach: UInt64 { max(size, 1) }
    }

    private let entries: [Entry]
    private let names: ByteSlice
    /// The furthest end of all functions up to an entry, where a backward search may stop.
    private let furthestEnds: [UInt64]
    private let labels: LabelTable
    private let share: HeldShare?

    /// More than any program has; chromium has about a million.
    static let entryLimit = 1 << 21

    /// Reads the image's tables. Their memory counts as `HeldMemory`.
    package init(_ image: ELFImage) {
        // SHT_SYMTAB 2, SHT_DYNSYM 11
        for type: UInt32 in [2, 11] {
            guard let section = image.sections.first(where: { $0.type == type }),
                Int(section.link) < image.sections.count
            else { continue }
            let contents = image.contents(of: section)
            let found = Self.functions(in: contents)
            let labels = LabelTable(
                contents, sections: image.sections, isStripped: type == 11)
            guard !found.isEmpty || !labels.isEmpty else { continue }
            let bytesPerEntry = 2 * MemoryLayout<Entry>.stride + MemoryLayout<UInt64>.stride
            share = HeldShare(found.count * bytesPerEntry)
            isCut = share == nil || labels.isCut
            entries = share == nil ? [] : found.sorted(byKey: \.address)
            self.labels = labels
            names = image.contents(of: image.sections[Int(section.link)])
            furthestEnds = Self.furthestEnds(of: entries)
            return
        }
        entries = []
        share = nil
        isCut = false
        labels = LabelTable()
        names = .empty
        furthestEnds = []
    }

    package let isCut: Bool

    package var count: Int { entries.count }

    /// Of nested functions, the one that begins last. Hand-written assembly has functions of size 0
    /// and labels without a type: such a symbol extends to the next symbol or the end of its
    /// section, but only a little in a stripped file, unless another function covers the address.
    package func symbol(containing fileAddress: UInt64) -> ELFSymbol? {
        sizedSymbol(containing: fileAddress) ?? label(before: fileAddress)
    }

    /// Addresses where the answer of `symbol(containing:)` may change, unsorted.
    package var boundaries: [UInt64] {
        entries.flatMap { [$0.address, $0.address &+ $0.reach] } + labels.boundaries
    }

    /// All names of the functions that begin at `fileAddress`, at most 64.
    package func names(ofFunctionAt fileAddress: UInt64) -> [String] {
        var index = firstIndex(after: fileAddress)
        var found: [String] = []
        while index > 0, entries[index - 1].address == fileAddress, found.count < 64 {
            index -= 1
            if let name = name(at: entries[index].nameOffset) { found.append(name) }
        }
        return found
    }

    private func label(before fileAddress: UInt64) -> ELFSymbol? {
        let index = firstIndex(after: fileAddress)
        let lastFunction = index > 0 ? entries[index - 1] : nil
        guard let label = labels.label(before: fileAddress),
            // A label does not extend past a later function.
            lastFunction.map({ $0.address < label.address || $0.size == 0 }) ?? true,
            let name = name(at: label.nameOffset), !name.hasPrefix("$")
        else { return nil }
        return ELFSymbol(name: name, address: label.address, size: 0)
    }

    private func sizedSymbol(containing fileAddress: UInt64) -> ELFSymbol? {
        var index = firstIndex(after: fileAddress)
        var best: Entry?
        while index > 0, furthestEnds[index - 1] > fileAddress {
            index -= 1
            let entry = entries[index]
            if let best, entry.address < best.address { break }
            guard fileAddress - entry.address < entry.reach else { continue }
            if best.map({ isPreferred(entry, to: $0) }) ?? true { best = entry }
        }
        guard let best, let name = name(at: best.nameOffset) else { return nil }
        return ELFSymbol(name: name, address: best.address, size: best.size)
    }

    private func isPreferred(_ entry: Entry, to other: Entry) -> Bool {
        if entry.rank != other.rank { return entry.rank < other.rank }
        let name = name(at: entry.nameOffset) ?? ""
        let otherName = self.name(at: other.nameOffset) ?? ""
        let isReserved = name.hasPrefix("_")
        guard isReserved == otherName.hasPrefix("_") else { return !isReserved }
        return name < otherName
    }

    /// Without the version, as in `memcpy@@GLIBC_2.14`. Swift macros begin with an @, too.
    private func name(at offset: UInt32) -> String? {
        guard let name = names.terminatedText(at: Int(offset)), !name.isEmpty else { return nil }
        guard let mark = name.dropFirst().firstIndex(of: "@") else { return name }
        return String(name[..<mark])
    }

    private func firstIndex(after address: UInt64) -> Int {
        entries.prefixCount { $0.address <= address }
    }

    private static func functions(in table: ByteSlice) -> [Entry] {
        var entries: [Entry] = []
        SymbolEntry.forEach(in: table) { entry in
            guard entry.type == 2 || entry.type == 10, entry.section != 0,
                entries.count < entryLimit
            else { return }
            entries.append(
                Entry(
                    address: entry.address, size: entry.size, nameOffset: entry.nameOffset,
                    rank: entry.binding == 1 ? 0 : entry.binding == 2 ? 1 : 2))
        }
        return entries
    }

    private static func furthestEnds(of entries: [Entry]) -> [UInt64] {
        var furthest: UInt64 = 0
        return entries.map { entry in
            furthest = max(furthest, entry.address.addingClamped(entry.reach))
            return furthest
        }
    }
}
