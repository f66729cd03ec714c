// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The functions of a whole section by address, for images without a search table.
struct CallFrameIndex: Sendable {
    private struct Entry {
        let start: UInt64
        let end: UInt64
        let offset: Int
    }

    /// How far back a search looks among overlapping entries, which only a damaged file has.
    private static let overlapLimit = 8

    private let section: CallFrameSection
    private let entries: [Entry]

    init(_ section: CallFrameSection) {
        self.section = section
        // Functions that the linker dropped are left at address 0.
        entries = section.functionRanges()
            .filter { !$0.range.isEmpty && $0.range.lowerBound > 0 }
            .map { Entry(start: $0.range.lowerBound, end: $0.range.upperBound, offset: $0.offset) }
            .sorted { $0.start < $1.start }
    }

    func entry(containing address: UInt64) -> FrameDescription? {
        let low = entries.prefixCount { $0.start <= address }
        let candidates = entries[max(0, low - Self.overlapLimit)..<low]
        guard let entry = candidates.last(where: { address < $0.end }) else { return nil }
        return section.functionEntry(at: entry.offset)
    }
}
