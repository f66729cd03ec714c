// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding

/// What runtimes keep in their frames: words, and the texts that they lead to.
enum FrameWords {
    private static let largestFrame: UInt64 = 4096
    private static let longestText: UInt64 = 4096

    static func words(
        of frame: ReportFrame, to caller: ReportFrame, _ memory: ReadableMemory
    ) -> [UInt64] {
        guard let start = frame.stackPointer, let end = caller.stackPointer, start < end,
            end - start <= largestFrame
        else { return [] }
        let bytes = memory.bytes(at: start, atMost: Int(end - start))
        return stride(from: 0, to: bytes.count / 8 * 8, by: 8).map {
            bytes[$0..<$0 + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
    }

    /// The first text of which address and length are beside each other, as in Rust and Go.
    static func slice(in words: [UInt64], _ memory: ReadableMemory) -> String? {
        words.indices.dropLast().lazy.compactMap { index -> String? in
            guard 2...longestText ~= words[index + 1] else { return nil }
            return string(at: words[index], words[index + 1], memory)
        }.first
    }

    /// Printable UTF-8; with an ellipsis if the dump has only its beginning.
    static func string(
        at address: UInt64, _ length: UInt64, _ memory: ReadableMemory
    ) -> String? {
        let wanted = Int(min(length, longestText))
        let bytes = memory.bytes(at: address, atMost: wanted)
        guard bytes.count == wanted || bytes.count >= 32,
            let text = String(validating: bytes, as: UTF8.self),
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 || $0 == "\n" || $0 == "\t" })
        else { return nil }
        return bytes.count < Int(clamping: length) ? text + "…" : text
    }
}
