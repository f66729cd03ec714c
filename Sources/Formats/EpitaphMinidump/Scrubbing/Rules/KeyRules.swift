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

    /// A key, or many: `*` stands for any number of characters, including none. Case is ignored:
    /// `Password` is as private as `password`.
    public struct KeyPattern: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private let glob: GlobPattern

        public init(_ pattern: String) {
            description = pattern
            // Of a glob's signs only `*` is one here.
            let lower = pattern.lowercased()
            glob = GlobPattern(
                ["\\", "?", "["].reduce(lower) { $0.replacingEach($1, with: "\\" + $1) })
        }

        public func matches(_ key: String) -> Bool { glob.matches(key.lowercased()) }
    }
}
