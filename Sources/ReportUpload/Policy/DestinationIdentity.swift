// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Identifies a destination together with its key: its kind, its whole address, headers with
/// credentials. It is never printed and never stored as it is.
public struct DestinationIdentity: Sendable, Equatable {
    private let parts: [String]

    /// - Parameter parts: everything that distinguishes the destination from others, keys included.
    public init(_ parts: [String]) {
        self.parts = parts
    }

    /// 12 bits of a hash, in hexadecimal: what may be stored on disk.
    ///
    /// Whoever reads it together with the salt can try keys, so that must not be worthwhile: each such
    /// number fits one of 4,096 keys, and no more than 12 bits of a key can be learnt from it, whatever
    /// the function. One new key in 4,096 looks like the old one, which costs it one wait.
    /// docs/decisions/refusals.md
    ///
    /// - Parameter salt: of this installation, so that one key looks different in each.
    func fingerprint(salt: UUID) -> String {
        // FNV-1a: the same in every process, unlike Swift's own hashing. The zero between the parts
        // occurs in none of them.
        var hash: UInt64 = 14_695_981_039_346_656_037
        for part in [salt.uuidString] + parts {
            for byte in Array(part.utf8) + [0] {
                hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211
            }
        }
        // Its low bits depend only on the low bits of the bytes.
        hash ^= hash >> 32
        hash = (hash ^ hash >> 16) & 0xfff
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 3 - digits.count) + digits
    }
}

extension DestinationIdentity: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public var description: String { "\(parts.count) parts" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["count": parts.count]) }
}
