// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension ScrubPlanner {
    /// Keeps a text except for home directories and, if `isSearched`, copies of removed texts.
    func keepText(at offset: UInt32?, _ encoding: StoredText.Encoding, isSearched: Bool) {
        guard let offset,
            let text = StoredText(at: Int(clamping: offset), encoding, in: file)
        else { return }
        let wasSearched = keptTexts[text.range.lowerBound]?.isSearched ?? false
        keptTexts[text.range.lowerBound] = (text, isSearched || wasSearched)
    }

    func removeText(
        at offset: UInt32?, _ encoding: StoredText.Encoding, isSecret: Bool
    ) throws(ScrubbingError) {
        guard let offset,
            let text = StoredText(at: Int(clamping: offset), encoding, in: file)
        else { return }
        fates.removed.append(text.range)
        if isSecret { try addSecret(string(text)) }
    }

    func addSecret(_ text: String) throws(ScrubbingError) {
        secrets.add(text)
        guard secrets.count <= 40_000 else {
            throw .tooMuch("more than 20,000 texts that are to be removed")
        }
        guard secrets.mostAlike <= 256 else {
            throw .tooMuch("more than 256 texts that are to be removed and begin alike")
        }
    }

    func string(_ text: StoredText) throws(ScrubbingError) -> String {
        try spend(text.text.count)
        return switch text.encoding {
        case .utf8: file.slice(text.text).text
        case .utf16: UTF16Text.whole(file.slice(text.text))
        }
    }

    func spend(_ byteCount: Int) throws(ScrubbingError) {
        guard byteCount <= textBudget else {
            throw .tooMuch("more text than a file of its size has room for")
        }
        textBudget -= byteCount
    }

    func scrubTexts() throws(ScrubbingError) {
        for (text, isSearched) in keptTexts.values {
            let old = file.slice(text.text)
            let new = try scrubbed(old, text.encoding, isSearched: isSearched)
            guard let new else {
                fates.texts.append(text.range)
                continue
            }
            var record = ByteBuilder()
            record.append(UInt32(clamping: new.count))
            record.append(new)
            record.appendZeros(text.range.count - record.count)
            try fates.edit(text: record.bytes, at: text.range.lowerBound)
        }
    }

    func scrubbed(
        _ text: ByteSlice, _ encoding: StoredText.Encoding, isSearched: Bool
    ) throws(ScrubbingError) -> [UInt8]? {
        let isSearched = isSearched && !secrets.isEmpty
        guard isSearched || rules.hidesHomeDirectories else { return nil }
        try spend(text.count)
        var bytes = text.array
        var hasChanged = false
        if isSearched {
            let copies = bytes.withUnsafeBytes { secrets.copies(in: $0, limit: .max) }
            for copy in copies {
                for index in copy { bytes[index] = ByteFates.mask }
            }
            summary.removedCopyCount += copies.count
            hasChanged = !copies.isEmpty
        }
        if rules.hidesHomeDirectories {
            hasChanged = hideHomes(in: &bytes, encoding) || hasChanged
        }
        return hasChanged ? bytes : nil
    }

    private func hideHomes(
        in bytes: inout [UInt8], _ encoding: StoredText.Encoding
    ) -> Bool {
        let found: [String]
        switch encoding {
        case .utf8:
            let hidden = HomeDirectories.hidden(in: bytes)
            found = hidden.homes.map { String(decoding: $0, as: UTF8.self) }
            bytes = hidden.text
        case .utf16:
            let hidden = HomeDirectories.hidden(in: UTF16Text.units(ByteSlice(bytes)))
            found = hidden.homes.map { String(decoding: $0, as: UTF16.self) }
            if !found.isEmpty {
                bytes = hidden.text.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
            }
        }
        homes.formUnion(found)
        summary.hiddenHomeDirectoryCount += found.count
        return !found.isEmpty
    }
}
