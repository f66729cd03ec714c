// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Symbols of code without a size, as in assembly: functions of size 0, and untyped ones.
struct LabelTable: Sendable {
    struct Label {
        let address: UInt64
        let end: UInt64
        let nameOffset: UInt32
    }

    private let labels: [Label]
    private let share: HeldShare?
    /// Whether memory was too short for all of them.
    let isCut: Bool

    init() {
        labels = []
        share = nil
        isCut = false
    }

    var isEmpty: Bool { labels.isEmpty }

    /// How far a label reaches in a stripped file, where functions that are not exported may
    /// follow: musl's longest, memset, has 174 bytes.
    private static let strippedBytes: UInt64 = 256

    init(_ table: ByteSlice, sections: [ELFSection], isStripped: Bool) {
        var labels: [Label] = []
        SymbolEntry.forEach(in: table) { entry in
            let index = entry.section
            guard entry.type == 0 || entry.type == 2 && entry.size == 0,
                index > 0, index < sections.count, sections[index].isExecutable,
                labels.count < ELFSymbolTable.entryLimit
            else { return }
            let end = sections[index].address.addingClamped(sections[index].size)
            let reach = isStripped ? entry.address.addingClamped(Self.strippedBytes) : end
            labels.append(
                Label(
                    address: entry.address, end: min(end, reach), nameOffset: entry.nameOffset))
        }
        share = HeldShare(labels.count * 2 * MemoryLayout<Label>.stride)
        isCut = share == nil
        self.labels = share == nil ? [] : labels.sorted(byKey: \.address)
    }

    var boundaries: [UInt64] { labels.flatMap { [$0.address, $0.end] } }

    func label(before address: UInt64) -> Label? {
        let low = labels.prefixCount { $0.address <= address }
        guard low > 0, address < labels[low - 1].end else { return nil }
        return labels[low - 1]
    }
}
