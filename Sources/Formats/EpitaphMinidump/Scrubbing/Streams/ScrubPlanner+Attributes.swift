// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension ScrubPlanner {
    private static let attributeByteCount = 16

    /// Each type, attribute or task of a thread is kept or removed with its subject.
    func scrubAttributes(_ stream: Stream) throws(ScrubbingError) {
        let list = stream.range
        let (header, offsets) = file.records(in: list, byteCount: Self.attributeByteCount)
        var kept: [Int] = []
        for record in offsets {
            let (name, value) = (file.u32(record + 8), file.u32(record + 12))
            if try keepsAttribute(record) {
                keepText(at: name == 0 ? nil : name, .utf8, isSearched: true)
                keepText(at: value == 0 ? nil : value, .utf8, isSearched: true)
                kept.append(record)
            } else {
                try removeText(at: name == 0 ? nil : name, .utf8, isSecret: false)
                try removeText(at: value == 0 ? nil : value, .utf8, isSecret: true)
            }
        }
        let newSize = header + kept.count * Self.attributeByteCount
        guard kept.count < offsets.count else {
            return fates.structure.append(list.lowerBound..<list.lowerBound + newSize)
        }
        try shorten(list, header, to: kept, byteCount: Self.attributeByteCount)
        try resize(stream, to: newSize)
    }

    /// Rewrites a list of records behind a header that begins with their count.
    func shorten(
        _ list: Range<Int>, _ header: Int, to kept: [Int], byteCount: Int
    ) throws(ScrubbingError) {
        var bytes = ByteBuilder()
        bytes.append(UInt32(clamping: kept.count))
        bytes.appendZeros(header - 4)
        for record in kept { bytes.append(file.slice(record..<record + byteCount).array) }
        bytes.appendZeros(list.count - bytes.count)
        try fates.rewrite(bytes.bytes, at: list.lowerBound)
    }

    /// The upper 4 bits of the first word: annotations, breadcrumbs, threads. Others go.
    private func keepsAttribute(_ record: Int) throws(ScrubbingError) -> Bool {
        guard let owner = file.u32(record), let place = file.u32(record + 8) else { return false }
        switch owner >> 28 {
        case 0: return try keepsName(at: place, isWritten: true)
        case 1:
            guard !rules.removedParts.contains(.breadcrumbs) else { return false }
            // The kind of a breadcrumb has no name.
            if place == 0 { return true }
            return try keepsName(at: place, isWritten: false)
        case 2: return !rules.removedParts.contains(.threadNames)
        default: return false
        }
    }

    /// - Parameter isWritten: whether it is a name as written, `ReportFacts.written`.
    func keepsName(
        at offset: UInt32, isWritten: Bool
    ) throws(ScrubbingError) -> Bool {
        guard let text = StoredText(at: Int(clamping: offset), .utf8, in: file) else {
            return false
        }
        let name = try string(text)
        return isWritten ? rules.keepsAnnotation(written: name) : rules.annotations.keeps(name)
    }
}
