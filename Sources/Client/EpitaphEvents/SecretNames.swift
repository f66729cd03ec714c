// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Names of headers and log metadata that stand for secrets.
struct SecretNames: Sendable, Equatable {
    private let others: Set<String>

    static let mask = "[hidden]"

    /// Also for `Proxy-Authorization`, `Set-Cookie`, `X-Api-Key` and `X-Amz-Security-Token`.
    private static let words = [
        "auth", "cookie", "credential", "key", "passw", "secret", "session", "signature", "token",
    ]

    /// - Parameter others: further secret names, in any case.
    init(_ others: Set<String>) {
        self.others = Set(others.map { $0.lowercased() })
    }

    func masked(_ values: [String: Epitaph.Value]) -> [String: Epitaph.Value] {
        var values = values
        for name in values.keys where contain(name) { values[name] = .text(Self.mask) }
        return values
    }

    func contain(_ name: String) -> Bool {
        let lower = name.lowercased()
        return others.contains(lower) || Self.words.contains { lower.has($0) }
    }
}
