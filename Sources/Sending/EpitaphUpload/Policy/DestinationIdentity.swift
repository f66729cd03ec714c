// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Identifies a destination together with its key: its kind, its whole address, headers with
    /// credentials. It is never printed and never stored as it is.
    package struct DestinationIdentity: Sendable, Equatable {
        private let parts: [String]

        package init(_ parts: [String]) {
            self.parts = parts
        }

        /// 12 bits of a hash, in hexadecimal, which may be stored on disk.
        ///
        /// Anyone who reads it together with the salt can try keys, so that must not be worthwhile:
        /// each such number fits one of 4,096 keys, and no more than 12 bits of a key can be learnt
        /// from it, whatever the function. One new key in 4,096 looks like the old one, which costs
        /// it one wait. docs/decisions/delivery.md
        ///
        /// - Parameter salt: of this installation, so that one key looks different in each.
        func fingerprint(salt: Epitaph.ID) -> String {
            var whole = FNV1a()
            for part in [salt.description.uppercased()] + parts {
                whole.combine(part.utf8)
                // No part contains this byte.
                whole.combine(0)
            }
            // Its low bits depend only on the low bits of the bytes.
            var hash = whole.value
            hash ^= hash >> 32
            hash = (hash ^ hash >> 16) & 0xfff
            return String(hash, radix: 16).zeroPadded(to: 3)
        }
    }
}

extension DestinationIdentity: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    package var description: String { "\(parts.count) parts" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["count": parts.count]) }
}
