// SPDX-License-Identifier: Apache-2.0

/// Which names, of headers and of what loggers say besides a line, stand for secrets.
struct SecretNames: Sendable, Equatable {
    private let others: Set<String>

    /// What stands in the place of a secret.
    static let mask = "[hidden]"

    /// Words in such names, among them `Authorization`, `Proxy-Authorization`, `Cookie`,
    /// `Set-Cookie`, `X-Api-Key` and `X-Amz-Security-Token`.
    private static let words = [
        "auth", "cookie", "credential", "key", "passw", "secret", "session", "signature", "token",
    ]

    /// - Parameter others: names that stand for secrets as well, in any case.
    init(_ others: Set<String>) {
        self.others = Set(others.map { $0.lowercased() })
    }

    func contain(_ name: String) -> Bool {
        let lower = name.lowercased()
        return others.contains(lower) || Self.words.contains { lower.contains($0) }
    }
}
