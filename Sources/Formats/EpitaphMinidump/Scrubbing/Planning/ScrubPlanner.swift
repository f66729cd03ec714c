// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

final class ScrubPlanner {
    static let headerByteCount = 32
    private static let directoryEntryByteCount = 12

    struct Stream {
        let type: StreamType
        let range: Range<Int>
        let entry: Int
    }

    let file: MinidumpBytes
    let rules: ScrubbingRules
    let snapshot: ProcessSnapshot
    var fates = ByteFates()
    var summary = ScrubbingSummary()
    var secrets = SecretSearch()
    var homes: Set<String> = []
    var known = KnownRanges(ranges: [], code: [])
    var keptTexts: [Int: (text: StoredText, isSearched: Bool)] = [:]
    var annotationLists: [Int: (range: Range<Int>, byteCount: UInt32)] = [:]
    var annotationCount = 0
    /// Decisions on process annotations by name: modules have the full text of long ones.
    var processAnnotations: [String: Bool] = [:]
    var textBudget: Int
    var registerSets: Set<Int> = []
    /// Kept memory that may contain copies of removed texts.
    var searchedMemory: [Range<Int>] = []

    private var streams: [Stream] = []
    private var isFirstOfType: [Bool] = []

    init(_ file: MinidumpBytes, rules: ScrubbingRules, snapshot: ProcessSnapshot) {
        self.file = file
        self.rules = rules
        self.snapshot = snapshot
        textBudget = 4 * min(file.count, .max / 8) + (1 << 20)
        readDirectory()
    }

    private var directoryStart: Int { Int(clamping: file.u32(12) ?? 0) }

    private func readDirectory() {
        let start = directoryStart
        let available = max(file.count - start, 0) / Self.directoryEntryByteCount
        let count = min(Int(clamping: file.u32(8) ?? 0), available)
        fates.directory.append(0..<min(Self.headerByteCount, file.count))
        fates.directory.append(start..<start + count * Self.directoryEntryByteCount)
        var seen: Set<StreamType> = []
        for index in 0..<count {
            let entry = start + index * Self.directoryEntryByteCount
            let type = StreamType(rawValue: file.u32(entry) ?? 0)
            guard type != .unused else { continue }
            streams.append(
                Stream(type: type, range: file.location(at: entry + 4), entry: entry))
            isFirstOfType.append(seen.insert(type).inserted)
        }
    }

    func stream(_ type: StreamType) -> Stream? { streams.first { $0.type == type } }

    func range(of type: StreamType) -> Range<Int>? { stream(type)?.range }

    func run() throws(ScrubbingError) {
        // Without this check an entry inside the header could not be removed.
        guard directoryStart >= Self.headerByteCount else { throw .overlap(offset: directoryStart) }
        // Removed streams first: kept parts are searched for copies of them.
        for (stream, isFirst) in zip(streams, isFirstOfType) {
            if let part = ReportPart.streams[stream.type], rules.removedParts.contains(part) {
                try remove(stream)
                if isFirst { try removeTexts(of: stream) }
            } else if isFirst, stream.type == .crashpadInfo {
                try scrubCrashpadInfo(stream.range)
            } else if isFirst, stream.type == .attributes {
                try scrubAttributes(stream)
            } else if isFirst, stream.type == .heapSampling {
                try scrubHeapSampling(stream)
            } else if !isFirst {
                try removeUnneeded(stream)
            }
        }
        for (stream, isFirst) in zip(streams, isFirstOfType) where isFirst {
            let part = ReportPart.streams[stream.type]
            guard part.map({ !rules.removedParts.contains($0) }) ?? true else { continue }
            try keep(stream)
        }
        try scrubTexts()
        try scrubMemory()
    }

    private func remove(_ stream: Stream) throws(ScrubbingError) {
        summary.removedStreams.append("\(stream.type)")
        fates.removed.append(stream.range)
        try removeEntry(of: stream)
    }

    /// An unknown stream has an unknown meaning.
    func removeUnknown(_ stream: Stream) throws(ScrubbingError) {
        if !rules.keepsUnknown { try removeUnneeded(stream) }
    }

    /// Readers disagree on which of two streams of a type counts, so the second one is removed.
    private func removeUnneeded(_ stream: Stream) throws(ScrubbingError) {
        summary.removedStreams.append("\(stream.type)")
        fates.unused.append(stream.range)
        try removeEntry(of: stream)
    }

    func resize(_ stream: Stream, to byteCount: Int) throws(ScrubbingError) {
        guard byteCount != stream.range.count else { return }
        try fates.edit(
            entry: UInt32(clamping: byteCount).littleEndianBytes, at: stream.entry + 4)
    }

    /// Type 0 marks unused entries.
    private func removeEntry(of stream: Stream) throws(ScrubbingError) {
        let zeros = [UInt8](repeating: 0, count: Self.directoryEntryByteCount)
        try fates.edit(entry: zeros, at: stream.entry)
    }
}
