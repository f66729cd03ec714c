// SPDX-License-Identifier: Apache-2.0

/// Which keys may leave the machine.
public struct KeyRules: Sendable, Equatable {
    /// Where set, all other keys are removed; an empty list removes all.
    public var allowed: [KeyPattern]?
    /// Removed, even where `allowed` names them too.
    public var denied: [KeyPattern]

    public init(allowed: [KeyPattern]? = nil, denied: [KeyPattern] = []) {
        self.allowed = allowed
        self.denied = denied
    }

    /// True when no key is removed.
    public var keepsAll: Bool { allowed == nil && denied.isEmpty }

    public func denies(_ key: String) -> Bool {
        denied.contains { $0.matches(key) }
    }

    public func keeps(_ key: String) -> Bool {
        guard !denies(key) else { return false }
        return allowed?.contains { $0.matches(key) } ?? true
    }
}
