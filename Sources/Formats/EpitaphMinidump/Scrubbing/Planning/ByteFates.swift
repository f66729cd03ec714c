// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// What happens to which bytes, collected in any order and sorted at the end.
///
/// Removal takes precedence, so that a text which two records share is removed. But records that
/// readers need must not be affected by that: a file where they would be is rejected.
struct ByteFates {
    /// The header and the directory: only entries of the directory may change in them.
    var directory: [Range<Int>] = []
    /// Records and plain streams: they stay, and nothing that is removed may be inside them.
    var structure: [Range<Int>] = []
    /// Texts that stay, unless something that is removed shares them.
    var texts: [Range<Int>] = []
    /// Memory contents that stay as they are.
    var memory: [Range<Int>] = []
    var sanitized: [SanitizedMemory] = []
    /// Memory contents that are removed, inside a range that readers still find.
    var defaced: [SanitizedMemory] = []
    /// Copies of removed texts in memory.
    var masked: [Range<Int>] = []
    /// Texts and streams that are removed.
    var removed: [Range<Int>] = []
    /// Memory contents that are removed, unless other memory that stays shares them.
    var droppedMemory: [Range<Int>] = []
    /// No longer needed.
    var unused: [Range<Int>] = []

    /// New bytes by file offset: of texts, of whole lists and streams, of fields of records.
    private var textEdits: [Int: [UInt8]] = [:]
    private var rewrites: [Int: [UInt8]] = [:]
    private var edits: [Int: [UInt8]] = [:]
    private var entryEdits: [Int: [UInt8]] = [:]

    /// The byte that overwrites a copy of a removed text.
    static let mask: UInt8 = 0x2a

    /// Replaces a text that stays; the caller must pad a shorter one.
    mutating func edit(text bytes: [UInt8], at offset: Int) throws(ScrubbingError) {
        try Self.set(bytes, at: offset, in: &textEdits)
    }

    /// Replaces a whole list or stream, which must not be part of the structure.
    mutating func rewrite(_ bytes: [UInt8], at offset: Int) throws(ScrubbingError) {
        try Self.set(bytes, at: offset, in: &rewrites)
    }

    /// Replaces a field of a record.
    mutating func edit(_ bytes: [UInt8], at offset: Int) throws(ScrubbingError) {
        try Self.set(bytes, at: offset, in: &edits)
    }

    /// Replaces a part of a directory entry.
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

    /// The whole file in order, without gaps.
    ///
    /// - Parameter keepsUnknown: whether bytes stay that no rule or reader knows.
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
        for (offset, bytes) in edits.sorted(by: { $0.key < $1.key }) where !bytes.isEmpty {
            guard offset >= end else { throw .overlap(offset: offset) }
            end = offset + bytes.count
            result.append(
                FileSegment(range: offset..<end, content: .bytes(bytes, from: offset)))
        }
        return result
    }

    /// In file order, each without the part that an earlier one covers.
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
