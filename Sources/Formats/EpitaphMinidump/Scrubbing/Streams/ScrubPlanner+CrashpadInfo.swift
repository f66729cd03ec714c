// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension ScrubPlanner {
    private static let annotationLimit = 100_000
    /// MinidumpCrashpadInfo with all its fields.
    private static let infoByteCount = 64

    /// MinidumpCrashpadInfo: simple annotations at 36, modules at 44.
    mutating func scrubCrashpadInfo(_ stream: Range<Int>) throws(ScrubbingError) {
        let record =
            stream
            .lowerBound..<min(
                stream.upperBound, stream.lowerBound + Self.infoByteCount)
        fates.structure.append(record)
        if record.count >= 44 {
            try scrubAnnotations(listedAt: record.lowerBound + 36, byteCount: 8, areOfProcess: true)
        }
        guard record.count >= 52 else { return }
        let modules = file.location(at: record.lowerBound + 44)
        for link in keepRecords(in: modules, byteCount: 12) {
            try scrubModule(file.location(at: link + 4))
        }
    }

    /// MinidumpModuleCrashpadInfo: messages at 4, simple annotations at 12, annotation objects at
    /// 20.
    private mutating func scrubModule(_ record: Range<Int>) throws(ScrubbingError) {
        let record = record.lowerBound..<min(record.upperBound, record.lowerBound + 28)
        fates.structure.append(record)
        if record.count >= 12 { try scrubMessages(listedAt: record.lowerBound + 4) }
        for (offset, byteCount) in [(12, 8), (20, 12)] where record.count >= offset + 8 {
            try scrubAnnotations(
                listedAt: record.lowerBound + offset, byteCount: byteCount, areOfProcess: false)
        }
    }

    /// Shortens a list of annotations to the kept ones: MinidumpSimpleStringDictionaryEntry of 8
    /// bytes (name, value), or MinidumpAnnotation of 12 (name, type, value).
    private mutating func scrubAnnotations(
        listedAt place: Int, byteCount: Int, areOfProcess: Bool
    ) throws(ScrubbingError) {
        let list = file.location(at: place)
        guard !list.isEmpty else { return }
        if let known = annotationLists[list.lowerBound], known.range == list {
            return try resizeList(at: place, from: list, to: known.byteCount)
        }
        let (header, offsets) = file.records(in: list, byteCount: byteCount)
        try count(offsets.count, of: "annotations")
        var kept: [Int] = []
        for entry in offsets {
            if try keepsAnnotation(at: entry, byteCount: byteCount, areOfProcess: areOfProcess) {
                kept.append(entry)
            }
        }
        let newSize = UInt32(clamping: header + kept.count * byteCount)
        annotationLists[list.lowerBound] = (list, newSize)
        guard kept.count < offsets.count else {
            return fates.structure.append(list.lowerBound..<list.lowerBound + Int(newSize))
        }
        var record = ByteBuilder()
        record.append(UInt32(clamping: kept.count))
        record.appendZeros(header - 4)
        for entry in kept { record.append(file.slice(entry..<entry + byteCount).array) }
        record.appendZeros(list.count - record.count)
        try fates.rewrite(record.bytes, at: list.lowerBound)
        try resizeList(at: place, from: list, to: newSize)
    }

    private mutating func resizeList(
        at place: Int, from list: Range<Int>, to byteCount: UInt32
    ) throws(ScrubbingError) {
        if Int(byteCount) != list.count { try fates.edit(byteCount, at: place) }
    }

    private mutating func count(_ more: Int, of what: String) throws(ScrubbingError) {
        annotationCount += more
        guard annotationCount <= Self.annotationLimit else {
            throw .tooMuch("more than \(Self.annotationLimit) \(what)")
        }
    }

    /// Decides on an annotation and its two texts. One without a readable name is removed.
    private mutating func keepsAnnotation(
        at entry: Int, byteCount: Int, areOfProcess: Bool
    ) throws(ScrubbingError) -> Bool {
        let nameOffset = file.u32(entry)
        let valueOffset = file.u32(entry + byteCount - 4)
        guard let text = StoredText(at: Int(clamping: nameOffset ?? 0), .utf8, in: file) else {
            try removeText(at: valueOffset, .utf8, isSecret: true)
            return false
        }
        let name = try string(text)
        let isAtLength = byteCount == 12 && processAnnotations[name] != nil
        guard try keeps(name, areOfProcess: areOfProcess, isAtLength: isAtLength) else {
            try removeText(at: nameOffset, .utf8, isSecret: false)
            try removeText(at: valueOffset, .utf8, isSecret: true)
            return false
        }
        keepText(at: nameOffset, .utf8, isSearched: false)
        keepText(at: valueOffset, .utf8, isSearched: true)
        if !isAtLength { summary.keptAnnotationCount += 1 }
        return true
    }

    /// - Parameter isAtLength: whether this object is the full form of an annotation of the
    ///   process; it then follows that one's decision and is not counted again.
    private mutating func keeps(
        _ name: String, areOfProcess: Bool, isAtLength: Bool
    ) throws(ScrubbingError) -> Bool {
        if isAtLength, let isKept = processAnnotations[name] { return isKept }
        let isKept = try keepsByItself(name, areOfProcess: areOfProcess)
        // Of equal names the strictest decision counts: a removed text must not be kept in full.
        if areOfProcess { processAnnotations[name] = isKept && processAnnotations[name] ?? true }
        return isKept
    }

    private mutating func keepsByItself(
        _ name: String, areOfProcess: Bool
    ) throws(ScrubbingError) -> Bool {
        let isSource = name.hasSuffix(ReportFacts.sourceSuffix)
        if rules.removedParts.contains(.messages), ReportFacts.isMessageName(name) {
            summary.removedMessageCount += isSource ? 0 : 1
            return false
        }
        let isOurs =
            areOfProcess
            ? isNextMessage(name) || ReportFacts.names.contains(name)
            : name == ReportFacts.modulePath
        // Without the message, its source means nothing.
        let isDenied =
            rules.annotations.denies(name)
            || isOurs && isSource
                && rules.annotations.denies(String(name.dropLast(ReportFacts.sourceSuffix.count)))
        let isKept = isOurs ? !isDenied : rules.annotations.keeps(name)
        if !isKept { summary.removedAnnotations.append(name) }
        return isKept
    }

    /// Whether an annotation is a crash message or the source of the previous one: readers
    /// recognise them only in this order.
    private mutating func isNextMessage(_ name: String) -> Bool {
        if name == ReportFacts.messageName(messageCount) {
            messageCount += 1
            return true
        }
        return messageCount > 0
            && name == ReportFacts.messageName(messageCount - 1) + ReportFacts.sourceSuffix
    }

    /// Messages of a module's runtime: a count and their offsets.
    private mutating func scrubMessages(listedAt place: Int) throws(ScrubbingError) {
        let list = file.location(at: place)
        let (_, offsets) = file.records(in: list, byteCount: 4)
        try count(offsets.count, of: "messages")
        guard rules.removedParts.contains(.messages) else {
            for entry in keepRecords(in: list, byteCount: 4) {
                keepText(at: file.u32(entry), .utf8, isSearched: true)
            }
            return
        }
        for entry in offsets {
            try removeText(at: file.u32(entry), .utf8, isSecret: true)
        }
        summary.removedMessageCount += offsets.count
        fates.removed.append(list)
        try fates.edit(UInt64(0), at: place)
    }
}
