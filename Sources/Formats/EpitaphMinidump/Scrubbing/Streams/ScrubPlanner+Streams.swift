// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension ScrubPlanner {
    func keep(_ stream: Stream) throws(ScrubbingError) {
        switch stream.type {
        case .systemInfo:
            // CSDVersionRva
            keepText(at: file.u32(stream.range.lowerBound + 24), .utf16, isSearched: false)
            fates.structure.append(stream.range)
        case .miscInfo, .memoryInfoList, .breakpadInfo, .threadInfoList, .systemMemoryInfo,
            .processCounters, .captureFacts, .linuxCPUInfo, .linuxLimits,
            .linuxAuxiliaryVector, .linuxRelease:
            fates.structure.append(stream.range)
        case .moduleList: try keepModules(stream.range)
        case .unloadedModuleList: keepUnloadedModules(stream.range)
        case .threadNames: keepThreadNames(stream.range)
        case .linuxDynamicLinker: keepDynamicLinker(stream.range)
        case .exception:
            fates.structure.append(stream.range)
            try scrubContext(at: stream.range.lowerBound + 160)
        case .breadcrumbs: keepBreadcrumbs(stream.range)
        case .keptStacks: keepKeptStacks(stream.range)
        case .linuxMaps: try keepText(stream, .utf8, isSearched: false)
        case .linuxProcessStatus, .linuxCommandLine, .linuxEnvironment, .softErrors, .commentASCII:
            try keepText(stream, .utf8, isSearched: true)
        case .commentUnicode: try keepText(stream, .utf16, isSearched: true)
        case .assertionInfo: try keepAssertion(stream.range)
        // Handled separately.
        case .crashpadInfo, .attributes, .heapSampling, .threadList, .memoryList,
            .memory64List:
            break
        default: try removeUnknown(stream)
        }
    }

    private func keepText(
        _ stream: Stream, _ encoding: StoredText.Encoding, isSearched: Bool
    ) throws(ScrubbingError) {
        let old = file.slice(stream.range)
        let new = try scrubbed(old, encoding, isSearched: isSearched)
        guard let new else { return fates.structure.append(stream.range) }
        let zeros = [UInt8](repeating: 0, count: stream.range.count - new.count)
        try fates.rewrite(new + zeros, at: stream.range.lowerBound)
        try resize(stream, to: new.count)
    }

    /// MINIDUMP_MODULE: the name's offset at 20, CvRecord at 76, MiscRecord at 84.
    private func keepModules(_ list: Range<Int>) throws(ScrubbingError) {
        for record in keepRecords(in: list, byteCount: 108) {
            keepText(at: file.u32(record + 20), .utf16, isSearched: false)
            fates.texts.append(file.location(at: record + 84))
            try keepCodeView(file.location(at: record + 76))
        }
    }

    /// "RSDS": the path of a program database after 24 bytes, possibly in a home directory.
    private func keepCodeView(_ record: Range<Int>) throws(ScrubbingError) {
        fates.texts.append(record)
        guard record.count > 24, file.u32(record.lowerBound) == 0x5344_5352 else { return }
        let place = record.lowerBound + 24..<record.upperBound
        if let path = try scrubbed(file.slice(place), .utf8, isSearched: false) {
            let zeros = [UInt8](repeating: 0, count: place.count - path.count)
            try fates.edit(text: path + zeros, at: place.lowerBound)
        }
    }

    /// MINIDUMP_UNLOADED_MODULE_LIST: sizes of header and record, a count; the name's offset at 20.
    private func keepUnloadedModules(_ list: Range<Int>) {
        guard let header = file.u32(list.lowerBound), let size = file.u32(list.lowerBound + 4),
            let count = file.u32(list.lowerBound + 8), header >= 12, size >= 24
        else { return fates.unused.append(list) }
        let recordBytes = max(list.count - Int(clamping: header), 0)
        let available = recordBytes / Int(clamping: size)
        let kept = min(Int(clamping: count), available)
        fates.structure.append(
            file.range(
                from: UInt64(list.lowerBound),
                count: UInt64(header) + UInt64(kept) * UInt64(size)))
        for index in 0..<kept {
            let record = list.lowerBound + Int(clamping: header) + index * Int(clamping: size)
            keepText(at: file.u32(record + 20), .utf16, isSearched: false)
        }
    }

    /// MINIDUMP_THREAD_NAME: the thread's id and a 64-bit offset of the name.
    private func keepThreadNames(_ list: Range<Int>) {
        for record in keepRecords(in: list, byteCount: 12) {
            keepText(
                at: file.u64(record + 4).flatMap { UInt32(exactly: $0) }, .utf16, isSearched: false)
        }
    }

    private func keepBreadcrumbs(_ list: Range<Int>) {
        for record in keepRecords(in: list, byteCount: 36) {
            keepText(at: file.u32(record + 28), .utf8, isSearched: true)
            keepText(at: file.u32(record + 32), .utf8, isSearched: true)
        }
    }

    /// Three texts of 128 UTF-16 units each: the expression, the function, the file.
    private func keepAssertion(_ stream: Range<Int>) throws(ScrubbingError) {
        fates.structure.append(stream)
        for index in 0..<3 {
            let start = min(stream.lowerBound + index * 256, stream.upperBound)
            let place = start..<min(start + 256, stream.upperBound)
            if let text = try scrubbed(file.slice(place), .utf16, isSearched: true) {
                let zeros = [UInt8](repeating: 0, count: place.count - text.count)
                try fates.edit(text + zeros, at: place.lowerBound)
            }
        }
    }

    /// MDRawDebug and its links, docs/minidump.md: natural padding, packed, and 32-bit.
    private func keepDynamicLinker(_ stream: Range<Int>) {
        fates.structure.append(stream)
        guard let start = file.u32(stream.lowerBound + 4),
            let count = file.u32(stream.lowerBound + 8)
        else { return }
        let is32Bit = snapshot.architecture.has32BitPointers
        let isNatural = file.u32(stream.lowerBound + 12) == 0 && stream.count >= 40
        let linkByteCount: UInt64 = is32Bit ? 12 : isNatural ? 24 : 20
        let links = file.range(from: UInt64(start), count: UInt64(count) * linkByteCount)
        fates.structure.append(links)
        for link in stride(from: links.lowerBound, to: links.upperBound, by: Int(linkByteCount)) {
            keepText(at: file.u32(link + (is32Bit ? 4 : 8)), .utf16, isSearched: false)
        }
    }

    func keepRecords(in list: Range<Int>, byteCount: Int) -> [Int] {
        let (header, offsets) = file.records(in: list, byteCount: byteCount)
        fates.structure.append(
            list.lowerBound..<list.lowerBound + header + offsets.count * byteCount)
        return offsets
    }

    func removeTexts(of stream: Stream) throws(ScrubbingError) {
        switch stream.type {
        case .breadcrumbs:
            for record in file.records(in: stream.range, byteCount: 36).offsets {
                try removeText(at: file.u32(record + 28), .utf8, isSecret: false)
                try removeText(at: file.u32(record + 32), .utf8, isSecret: true)
            }
        case .keptStacks: try removeTexts(ofKeptStacks: stream.range)
        case .threadNames:
            for record in file.records(in: stream.range, byteCount: 12).offsets {
                let offset = file.u64(record + 4).flatMap { UInt32(exactly: $0) }
                try removeText(at: offset, .utf16, isSecret: false)
            }
        case .linuxCommandLine, .linuxEnvironment:
            try spend(stream.range.count)
            for text in file.slice(stream.range).array.split(separator: 0) {
                try addSecret(String(decoding: text, as: UTF8.self))
                // "NAME=value", "--option=value": search for copies of the value only.
                let value = text.drop { $0 != UInt8(ascii: "=") }.dropFirst()
                try addSecret(String(decoding: value, as: UTF8.self))
            }
        case .commentASCII:
            try spend(stream.range.count)
            let text = file.slice(stream.range).array.prefix { $0 != 0 }
            try addSecret(String(decoding: text, as: UTF8.self))
        case .commentUnicode: try addSecret(inUnits: stream.range)
        case .assertionInfo:
            for start in stride(from: stream.range.lowerBound, to: stream.range.upperBound, by: 256)
            {
                try addSecret(inUnits: start..<min(start + 256, stream.range.upperBound))
            }
        default: break
        }
    }

    /// UTF-16 up to a zero.
    private func addSecret(inUnits range: Range<Int>) throws(ScrubbingError) {
        try spend(range.count)
        try addSecret(UTF16Text.untilZero(file.slice(range)))
    }
}
