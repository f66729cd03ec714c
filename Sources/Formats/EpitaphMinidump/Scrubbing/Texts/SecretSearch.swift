// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct SecretSearch: Sendable {
    /// Shorter texts are not searched for: numbers and words like `yes` are everywhere.
    static let leastByteCount = 6
    /// A longer text is found by its beginning and removed as far as it matches.
    static let mostByteCount = 1 << 16

    private var secrets: Set<[UInt8]> = []
    private var byBeginning: [UInt64: [[UInt8]]] = [:]
    private var firstPairs = [Bool](repeating: false, count: 1 << 16)

    var isEmpty: Bool { secrets.isEmpty }
    var count: Int { secrets.count }
    /// The most secrets that begin alike; each is compared at a candidate.
    private(set) var mostAlike = 0

    mutating func add(_ text: String) {
        let utf8 = Array(text.utf8.prefix(Self.mostByteCount))
        guard utf8.count >= Self.leastByteCount else { return }
        insert(utf8)
        insert(
            text.utf16.prefix(Self.mostByteCount / 2).flatMap {
                [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
            })
    }

    private mutating func insert(_ secret: [UInt8]) {
        guard secret.count >= Self.leastByteCount, secrets.insert(secret).inserted else { return }
        firstPairs[Int(secret[0]) | Int(secret[1]) << 8] = true
        let key = secret.withUnsafeBytes { Self.beginning($0, at: 0) }
        var all = byBeginning[key] ?? []
        let place = all.firstIndex { $0.count < secret.count } ?? all.endIndex
        all.insert(secret, at: place)
        byBeginning[key] = all
        mostAlike = max(mostAlike, all.count)
    }

    func copies(in bytes: UnsafeRawBufferPointer, limit: Int) -> [Range<Int>] {
        guard !isEmpty, bytes.count >= Self.leastByteCount else { return [] }
        var found: [Range<Int>] = []
        var index = 0
        let last = bytes.count - Self.leastByteCount
        while index <= last, found.count < limit {
            let pair = Int(bytes[index]) | Int(bytes[index + 1]) << 8
            guard firstPairs[pair], let end = end(ofSecretAt: index, in: bytes) else {
                index += 1
                continue
            }
            found.append(index..<end)
            index = end
        }
        return found
    }

    private func end(ofSecretAt index: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let secrets = byBeginning[Self.beginning(bytes, at: index)] else { return nil }
        for secret in secrets where secret.count <= bytes.count - index {
            let part = bytes[index..<index + secret.count]
            if part.elementsEqual(secret) { return index + secret.count }
        }
        return nil
    }

    private static func beginning(_ bytes: UnsafeRawBufferPointer, at index: Int) -> UInt64 {
        (0..<leastByteCount).reduce(0) { $0 << 8 | UInt64(bytes[index + $1]) }
    }
}
