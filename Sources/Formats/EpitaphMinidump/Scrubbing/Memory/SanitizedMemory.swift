// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct SanitizedMemory: Sendable, Equatable {
    let fileRange: Range<Int>
    let address: UInt64
    let wordByteCount: Int

    /// The replacement, known to Breakpad's readers and users (linux_dumper.cc).
    static let defaced: UInt64 = 0x0def_aced_0def_aced

    private var headByteCount: Int {
        let rest = Int(address % UInt64(wordByteCount))
        return min(rest == 0 ? 0 : wordByteCount - rest, fileRange.count)
    }

    private var words: Range<Int> {
        let start = fileRange.lowerBound + headByteCount
        return start..<start + (fileRange.upperBound - start) / wordByteCount * wordByteCount
    }

    func sanitize(
        into target: UnsafeMutableRawBufferPointer, at offset: Int, of source: ByteSlice,
        keeping known: KnownRanges
    ) {
        source.withUnsafeBytes { source in
            fill(target, at: offset) { place in
                let word = load(source, at: place)
                return known.keep(word) ? word : Self.defaced
            }
        }
    }

    /// The same with every word replaced.
    func deface(_ target: UnsafeMutableRawBufferPointer, at offset: Int) {
        fill(target, at: offset) { _ in Self.defaced }
    }

    func replacedWordCount(
        in part: Range<Int>, of source: ByteSlice, keeping known: KnownRanges
    ) -> Int {
        source.withUnsafeBytes { source in
            let first = wordStart(atOrAfter: part.lowerBound)
            let end = min(words.upperBound, part.upperBound)
            var count = 0
            for place in stride(from: first, to: end, by: wordByteCount)
            where !known.keep(load(source, at: place)) { count += 1 }
            return count
        }
    }

    private func wordStart(atOrAfter offset: Int) -> Int {
        let distance = max(offset - words.lowerBound, 0)
        return words.lowerBound + (distance + wordByteCount - 1) / wordByteCount * wordByteCount
    }

    private func load(_ source: UnsafeRawBufferPointer, at place: Int) -> UInt64 {
        if wordByteCount == 8 {
            let word = source.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            return UInt64(littleEndian: word)
        }
        let word = source.loadUnaligned(fromByteOffset: place, as: UInt32.self)
        return UInt64(bitPattern: Int64(Int32(bitPattern: UInt32(littleEndian: word))))
    }

    /// Zeroes bytes of incomplete words; `word` gives the others, from the word's file offset.
    private func fill(
        _ target: UnsafeMutableRawBufferPointer, at offset: Int, _ word: (Int) -> UInt64
    ) {
        let words = words
        let end = offset + target.count
        var place = offset
        while place < end {
            guard words.contains(place) else {
                target[place - offset] = 0
                place += 1
                continue
            }
            // The usual case: nearly all words are filled completely.
            let skipped = (place - words.lowerBound) % wordByteCount
            let value = word(place - skipped).littleEndian
            if skipped == 0, wordByteCount == 8, end - place >= 8 {
                target.storeBytes(of: value, toByteOffset: place - offset, as: UInt64.self)
                place += 8
                continue
            }
            let count = min(wordByteCount - skipped, end - place)
            withUnsafeBytes(of: value) { bytes in
                for step in 0..<count { target[place - offset + step] = bytes[skipped + step] }
            }
            place += count
        }
    }
}
