// SPDX-License-Identifier: Apache-2.0

extension Collection<UInt8> {
    /// With padding and without line breaks: RFC 4648, section 4.
    package var base64: String {
        let letters = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        var rest = self[...]
        while !rest.isEmpty {
            let group = rest.prefix(3)
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                text.append(
                    place > group.count
                        ? UInt8(ascii: "=") : letters[bits >> (18 - 6 * place) & 63])
            }
            rest = rest.dropFirst(3)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
