// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP

extension MediaType {
    static let sniffedBytes = 4_096

    /// Text if the bytes are UTF-8 without control characters, even if a character is cut at the
    /// end. `start` is the first `sniffedBytes` of a file, or all of it.
    init(sniffing start: [UInt8]) {
        let hasControls = start.contains { $0 < 0x20 && !(0x09...0x0d).contains($0) && $0 != 0x1b }
        // If the file has more bytes, these may end inside a character.
        let isUTF8 =
            String(validating: start, as: UTF8.self) != nil
            || start.count >= Self.sniffedBytes
                && (1...3).contains {
                    Self.isCutCharacter(start.suffix($0))
                        && String(validating: start.dropLast($0), as: UTF8.self) != nil
                }
        self = isUTF8 && !hasControls ? .text : .bytes
    }

    /// Whether the bytes are the beginning of a character: RFC 3629 3.
    private static func isCutCharacter(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first else { return false }
        let length =
            switch first {
            case 0xc2...0xdf: 2
            case 0xe0...0xef: 3
            case 0xf0...0xf4: 4
            default: 0
            }
        return bytes.count < length && bytes.dropFirst().allSatisfy { $0 & 0xc0 == 0x80 }
    }
}
