// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Percent-encodes the UTF-8 bytes that `keeping` rejects, in upper case: RFC 3986 2.1.
package func percentEncoded(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    for byte in text.utf8 {
        if isKept(byte) {
            encoded.append(byte)
        } else {
            encoded += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
    return String(decoding: encoded, as: UTF8.self)
}

/// Encodes all but the unreserved characters of RFC 3986 2.3, for a name or value in a query.
package func percentEncodedForQuery(_ text: String) -> String {
    percentEncoded(text) { isAlphanumeric($0) || "-._~".utf8.contains($0) }
}

/// Replaces each %XX by its byte; other percent signs stay, and invalid UTF-8 becomes U+FFFD.
package func percentDecoded(_ text: some StringProtocol) -> String {
    var rest = Array(text.utf8)[...]
    var decoded: [UInt8] = []
    while let byte = rest.popFirst() {
        let digits = rest.prefix(2).compactMap(\.digitValue)
        guard byte == UInt8(ascii: "%"), digits.count == 2 else {
            decoded.append(byte)
            continue
        }
        decoded.append(digits[0] << 4 | digits[1])
        rest = rest.dropFirst(2)
    }
    return String(decoding: decoded, as: UTF8.self)
}
