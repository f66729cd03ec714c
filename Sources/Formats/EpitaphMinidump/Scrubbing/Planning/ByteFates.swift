// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// What happens to which bytes, sorted at the end. Removal wins, so a text that two records share
/// is removed; a file where that affects needed records is rejected.
struct ByteFates {
    /// Header and directory; only directory entries may change.
    var directory: [Range<Int>] = []
    /// Records and plain streams; nothing inside them may be removed.
    var structure: [Range<Int>] = []
    /// Texts to keep, unless they overlap something removed.
    var texts: [Range<Int>] = []
    var memory: [Range<Int>] = []
    var sanitized: [SanitizedMemory] = []
    /// Removed memory inside a range that readers still find.
    var defaced: [SanitizedMemory] = []
    /// Copies of removed texts in memory.
    var masked: [Range<Int>] = []
    var removed: [Range<Int>] = []
    /// Removed memory, unless kept memory shares it.
    var droppedMemory: [Range<Int>] = []
    var unused: [Range<Int>] = []

    /// New bytes of texts, lists, streams and fields, by file offset.
    private var textEdits: [Int: [UInt8]] = [:]
    private var rewrites: [Int: [UInt8]] = [:]
    private var edits: [Int: [UInt8]] = [:]
    private var entryEdits: [Int: [UInt8]] = [:]

    /// Overwrites copies of removed texts.
    static let mask: UInt8 = 0x2a

    /// Replaces a kept text; the caller must pad a shorter one.
    mutating func edit(text bytes: [UInt8], at offset: Int) throws(ScrubbingError) {
        try Self.set(bytes, at: offset, in: &textEdits)
    }

    mutating func rewrite(_ bytes: [UInt8], at offset: Int) throws(ScrubbingError) {
        try Self.set(bytes, at: offset, in: &rewrites)
    }

    mutating func edit(_ bytes: [UInt8], at offset: Int) throws(ScrubbingError) {
        try Self.set(bytes, at: offset, in: &edits)
    }

    mutating func edit(entry bytes: [UInt8], at offset: Int) throws(ScrubbingError) {
        try Self.set(bytes, at: offset, in: &entryEdits)
    }

    private static func set(
        _ bytes: [UInt8], at offset: Int, in edits: inout [Int: [UInt8]]
    ) throws(ScrubbingError) {
        guard edits.updateValue(bytes, forKey: offset).map({ $0 == bytes }) ?? true else {
            throw .overlap(offset: offset)
        }
    }

    mutating func edit<Value: FixedWidthInteger>(
        _ value: Value, at offset: Int
    ) throws(ScrubbingError) {
        try edit(value.littleEndianBytes, at: offset)
    }

    /// The whole file, without gaps. `keepsUnknown` keeps bytes that no rule knows.
    func segments(
        byteCount: Int, keepsUnknown: Bool
    ) throws(ScrubbingError) -> [FileSegment] {
        try check()
        let base: FileSegment.Content = keepsUnknown ? .copy : .fill(0)
        let memory = Self.clipped(
            sanitized.map { FileSegment(range: $0.fileRange, content: .sanitized($0)) })
        let holes = Self.clipped(
            defaced.map { FileSegment(range: $0.fileRange, content: .pattern($0)) })
        return [FileSegment(range: 0..<byteCount, content: base)]
            .overlaid(with: Self.segments(droppedMemory + unused, .fill(0)))
            .overlaid(with: Self.segments(directory + structure + texts + self.memory, .copy))
            .overlaid(with: try Self.ordered(textEdits))
            .overlaid(with: memory)
            .overlaid(with: holes)
            .overlaid(with: Self.segments(masked, .fill(Self.mask)))
            .overlaid(with: Self.segments(removed, .fill(0)))
            .overlaid(with: try Self.ordered(rewrites))
            .overlaid(with: try Self.ordered(edits))
            .overlaid(with: try Self.ordered(entryEdits))
    }

    private func check() throws(ScrubbingError) {
        let lists = Self.ranges(of: rewrites)
        let going = OrderedRanges.merged(
            removed + droppedMemory + (sanitized + defaced).map(\.fileRange))
        let fields = Self.ranges(of: edits)
        let texts = Self.ranges(of: textEdits)
        try Self.refuseOverlap(of: directory, and: fields + going + lists + texts)
        try Self.refuseOverlap(of: structure + fields, and: going + lists)
        try Self.refuseOverlap(of: structure + lists, and: texts)
        try Self.refuseOverlap(of: lists, and: going)
        try Self.refuseOverlap(of: self.texts, and: droppedMemory)
    }

    private static func ranges(of edits: [Int: [UInt8]]) -> [Range<Int>] {
        edits.map { $0.key..<$0.key + $0.value.count }
    }

    private static func refuseOverlap(
        of left: [Range<Int>], and right: [Range<Int>]
    ) throws(ScrubbingError) {
        let offset = OrderedRanges.firstCommon(
            OrderedRanges.merged(left), OrderedRanges.merged(right))
        if let offset { throw .overlap(offset: offset) }
    }

    private static func segments(
        _ ranges: [Range<Int>], _ content: FileSegment.Content
    ) -> [FileSegment] {
        OrderedRanges.merged(ranges).map { FileSegment(range: $0, content: content) }
    }

    private static func ordered(_ edits: [Int: [UInt8]]) throws(ScrubbingError) -> [FileSegment] {
        var end = 0
        var result: [FileSegment] = []
        for (offset, bytes) in edits.inKeyOrder where !bytes.isEmpty {
            guard offset >= end else { throw .overlap(offset: offset) }
            end = offset + bytes.count
            result.append(
                FileSegment(range: offset..<end, content: .bytes(bytes, from: offset)))
        }
        return result
    }

    private static func clipped(_ segments: [FileSegment]) -> [FileSegment] {
        var end = 0
        var result: [FileSegment] = []
        for segment in segments.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            let start = max(end, segment.range.lowerBound)
            guard start < segment.range.upperBound else { continue }
            end = segment.range.upperBound
            result.append(FileSegment(range: start..<end, content: segment.content))
        }
        return result
    }
}
