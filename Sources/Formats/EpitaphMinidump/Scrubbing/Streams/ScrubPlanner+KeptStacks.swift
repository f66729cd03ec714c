// SPDX-License-Identifier: Apache-2.0

/// Epitaph's unwound stacks, docs/minidump.md. Paths of sources may be in a home directory.
extension ScrubPlanner {
    private static let keptStacksHeaderByteCount = 36
    private static let problemsPlace = 32

    /// The tables in order: record size, and offsets of texts within a record.
    private static let keptStacksTables: [(byteCount: Int, texts: [Int])] = [
        (40, [24, 28]), (12, []), (32, [24]), (16, []), (40, [8, 12, 16, 20]),
    ]

    func keepKeptStacks(_ stream: Range<Int>) {
        fates.structure.append(stream)
        for place in textPlaces(ofKeptStacks: stream) {
            keepText(at: file.u32(place), .utf8, isSearched: false)
        }
    }

    func removeTexts(ofKeptStacks stream: Range<Int>) throws(ScrubbingError) {
        for place in textPlaces(ofKeptStacks: stream) {
            try removeText(at: file.u32(place), .utf8, isSecret: false)
        }
    }

    private func textPlaces(ofKeptStacks stream: Range<Int>) -> [Int] {
        guard stream.count >= Self.keptStacksHeaderByteCount else { return [] }
        var places = [stream.lowerBound + Self.problemsPlace]
        var start = stream.lowerBound + Self.keptStacksHeaderByteCount
        for (index, table) in Self.keptStacksTables.enumerated() {
            let announced = Int(clamping: file.u32(stream.lowerBound + 4 + 4 * index) ?? 0)
            let count = min(announced, (stream.upperBound - start) / table.byteCount)
            for record in 0..<count {
                places += table.texts.map { start + record * table.byteCount + $0 }
            }
            start += count * table.byteCount
        }
        return places
    }
}
