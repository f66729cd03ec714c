// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension ScrubPlanner {
    private static let annotationLimit = 100_000
    private static let infoByteCount = 64

    /// MinidumpCrashpadInfo: simple annotations at 36, modules at 44.
    func scrubCrashpadInfo(_ stream: Range<Int>) throws(ScrubbingError) {
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

    /// MinidumpModuleCrashpadInfo: messages at 4, simple annotations at 12, objects at 20.
    private func scrubModule(_ record: Range<Int>) throws(ScrubbingError) {
        let record = record.lowerBound..<min(record.upperBound, record.lowerBound + 28)
        fates.structure.append(record)
        if record.count >= 12 { try scrubMessages(listedAt: record.lowerBound + 4) }
        for (offset, byteCount) in [(12, 8), (20, 12)] where record.count >= offset + 8 {
            try scrubAnnotations(
                listedAt: record.lowerBound + offset, byteCount: byteCount, areOfProcess: false)
        }
    }

    /// Shortens a list to the kept annotations: MinidumpSimpleStringDictionaryEntry of 8 bytes
    /// (name, value), or MinidumpAnnotation of 12 (name, type, value).
    private func scrubAnnotations(
        listedAt place: Int, byteCount: Int, areOfProcess: Bool
    ) throws(ScrubbingError) {
        let list = file.location(at: place)
        guard !list.isEmpty else { return }
        if let known = annotationLists[list.lowerBound], known.range == list {
            return try resizeList(at: place, from: list, to: known.byteCount)
        }
        let (header, offsets) = file.records(in: list, byteCount: byteCount)
        try count(offsets.count, of: "annotations")
        var names: [String?] = []
        for entry in offsets { names.append(try name(of: entry)) }
        let places = areOfProcess ? ReportFacts.Places(of: names) : nil
        var kept: [Int] = []
        for (index, (entry, name)) in zip(offsets, names).enumerated() {
            let isFact = places?.plain.contains(index) ?? (name == ReportFacts.modulePath)
            let owner = Owner(isProcess: areOfProcess, isEpitaph: isFact)
            if try keepsAnnotation(name, at: entry, byteCount: byteCount, of: owner) {
                kept.append(entry)
            }
        }
        let newSize = UInt32(clamping: header + kept.count * byteCount)
        annotationLists[list.lowerBound] = (list, newSize)
        guard kept.count < offsets.count else {
            return fates.structure.append(list.lowerBound..<list.lowerBound + Int(newSize))
        }
        try shorten(list, header, to: kept, byteCount: byteCount)
        try resizeList(at: place, from: list, to: newSize)
    }

    private func resizeList(
        at place: Int, from list: Range<Int>, to byteCount: UInt32
    ) throws(ScrubbingError) {
        if Int(byteCount) != list.count { try fates.edit(byteCount, at: place) }
    }

    private func count(_ more: Int, of what: String) throws(ScrubbingError) {
        annotationCount += more
        guard annotationCount <= Self.annotationLimit else {
            throw .tooMuch("more than \(Self.annotationLimit) \(what)")
        }
    }

    private func name(of entry: Int) throws(ScrubbingError) -> String? {
        guard let text = StoredText(at: Int(clamping: file.u32(entry) ?? 0), .utf8, in: file)
        else { return nil }
        return try string(text)
    }

    private struct Owner {
        let isProcess: Bool
        let isEpitaph: Bool
    }

    /// Decides on an annotation and its two texts. One without a readable name is removed.
    private func keepsAnnotation(
        _ name: String?, at entry: Int, byteCount: Int, of owner: Owner
    ) throws(ScrubbingError) -> Bool {
        let nameOffset = file.u32(entry)
        let valueOffset = file.u32(entry + byteCount - 4)
        guard let name else {
            try removeText(at: valueOffset, .utf8, isSecret: true)
            return false
        }
        // The full form of an annotation of the process follows its decision.
        let earlier = byteCount == 12 ? processAnnotations[name] : nil
        guard earlier ?? keeps(name, of: owner) else {
            try removeText(at: nameOffset, .utf8, isSecret: false)
            try removeText(at: valueOffset, .utf8, isSecret: true)
            return false
        }
        keepText(at: nameOffset, .utf8, isSearched: false)
        keepText(at: valueOffset, .utf8, isSearched: true)
        if earlier == nil { summary.keptAnnotationCount += 1 }
        return true
    }

    private func keeps(_ name: String, of owner: Owner) -> Bool {
        let isKept = keepsByItself(name, isFact: owner.isEpitaph)
        // Of equal names the strictest decision counts: a removed text must not be kept in full.
        if owner.isProcess {
            processAnnotations[name] = isKept && processAnnotations[name] ?? true
        }
        return isKept
    }

    private func keepsByItself(_ written: String, isFact: Bool) -> Bool {
        let name = isFact ? written : ReportFacts.name(written: written)
        let isSource = name.hasSuffix(ReportFacts.sourceSuffix)
        if rules.removedParts.contains(.messages), ReportFacts.isMessageName(name) {
            summary.removedMessageCount += isSource ? 0 : 1
            return false
        }
        // Without the message, its source means nothing.
        let isDenied =
            rules.annotations.denies(name)
            || isSource
                && rules.annotations.denies(String(name.dropLast(ReportFacts.sourceSuffix.count)))
        let isKept = isFact ? !isDenied : rules.keepsAnnotation(written: written)
        if !isKept { summary.removedAnnotations.append(name) }
        return isKept
    }

    /// Messages of a module's runtime: a count and their offsets.
    private func scrubMessages(listedAt place: Int) throws(ScrubbingError) {
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
