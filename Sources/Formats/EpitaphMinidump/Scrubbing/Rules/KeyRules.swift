// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Which keys may leave the machine.
    public struct KeyRules: Sendable, Equatable {
        /// If set, all other keys are removed; empty removes all.
        public var allowed: [KeyPattern]?
        /// Removed even if `allowed`.
        public var denied: [KeyPattern]

        public init(allowed: [KeyPattern]? = nil, denied: [KeyPattern] = []) {
            self.allowed = allowed
            self.denied = denied
        }

        public var keepsAll: Bool { allowed == nil && denied.isEmpty }

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
    /// A key, or many: `*` stands for any number of characters, including none. Case is ignored:
    /// `Password` is as private as `password`.
    public struct KeyPattern: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private let scalars: [Unicode.Scalar]

        public init(_ pattern: String) {
            description = pattern
            scalars = Array(pattern.lowercased().unicodeScalars)
        }

        public func matches(_ key: String) -> Bool {
            let key = Array(key.lowercased().unicodeScalars)
            // The last `*` and where in the key it began to match, to backtrack to.
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
