// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Which keys may leave the machine.
    public struct KeyRules: Sendable, Equatable {
        /// If set, all other keys are removed; an empty list removes all.
        public var allowed: [KeyPattern]?
        /// Removed, even if `allowed` contains them.
        public var denied: [KeyPattern]

        /// - Parameters:
        ///   - allowed: nil allows every key.
        ///   - denied: takes precedence over `allowed`.
        public init(allowed: [KeyPattern]? = nil, denied: [KeyPattern] = []) {
            self.allowed = allowed
            self.denied = denied
        }

        /// True when no key is removed.
        public var keepsAll: Bool { allowed == nil && denied.isEmpty }

        /// Whether the key is denied by name.
        public func denies(_ key: String) -> Bool {
            denied.contains { $0.matches(key) }
        }

        /// Whether a value with this key may leave the machine.
        public func keeps(_ key: String) -> Bool {
            guard !denies(key) else { return false }
            return allowed?.contains { $0.matches(key) } ?? true
        }
    }
}

extension Epitaph {
    /// A key, or many of them: `*` stands for any number of characters, including none. Case is
    /// ignored, because `Password` is as private as `password`.
    public struct KeyPattern: Sendable, Hashable, CustomStringConvertible {
        /// As it was written.
        public let description: String
        private let scalars: [Unicode.Scalar]

        /// - Parameter pattern: a key; `*` stands for any characters.
        public init(_ pattern: String) {
            description = pattern
            scalars = Array(pattern.lowercased().unicodeScalars)
        }

        /// Whether the whole key matches.
        public func matches(_ key: String) -> Bool {
            let key = Array(key.lowercased().unicodeScalars)
            // The last `*` seen, and where in the key it began to match: the only place to go back
            // to, so the work is bounded by the product of the lengths.
            var star: (pattern: Int, key: Int)?
            var (patternIndex, keyIndex) = (0, 0)
            while keyIndex < key.count {
                if patternIndex < scalars.count, scalars[patternIndex] == "*" {
                    star = (patternIndex, keyIndex)
                    patternIndex += 1
                } else if patternIndex < scalars.count, scalars[patternIndex] == key[keyIndex] {
                    patternIndex += 1
                    keyIndex += 1
                } else if let last = star {
                    star = (last.pattern, last.key + 1)
                    (patternIndex, keyIndex) = (last.pattern + 1, last.key + 1)
                } else {
                    return false
                }
            }
            return scalars[patternIndex...].allSatisfy { $0 == "*" }
        }
    }
}
