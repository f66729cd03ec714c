// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Decides what happens to a log line. The first matching rule applies.
    ///
    /// Matching a pattern or an expression takes at most the product of both lengths. docs/decisions/watching-a-program.md
    public struct LogFilter: Sendable, Equatable {
        public let rules: [LogRule]
        /// The action for a line that matches no rule.
        public let otherwise: LogRule.Action
        private let secret: SecretNames

        public static let ruleLimit = 64
        private static let messageLimit = 512

        /// - Parameters:
        ///   - rules: tried in this order.
        ///   - otherwise: the action for a line that matches no rule.
        ///   - secretMetadata: names whose values are masked, besides those that contain `auth`,
        ///     `cookie`, `credential`, `key`, `passw`, `secret`, `session`, `signature` or `token`.
        /// - Throws: `SettingError` if there are more than 64 rules.
        public init(
            _ rules: [LogRule], otherwise: LogRule.Action = .drop, secretMetadata: Set<String> = []
        ) throws(SettingError) {
            guard rules.count <= Self.ruleLimit else {
                throw SettingError(
                    "\(rules.count) rules in one filter: \(Self.ruleLimit) are possible")
            }
            self.rules = rules
            self.otherwise = otherwise
            secret = SecretNames(secretMetadata)
        }

        private init(_ rule: LogRule?) {
            rules = rule.map { [$0] } ?? []
            otherwise = .breadcrumb
            secret = SecretNames([])
        }

        /// `info` and above become breadcrumbs; `error` and above also become events.
        public static let standard: LogFilter = {
            let rules = [
                try? LogRule(levels: .error ... .critical, .breadcrumbAndEvent),
                try? LogRule(levels: .info ... .warning, .breadcrumb),
            ]
            return (try? LogFilter(rules.compactMap { $0 })) ?? LogFilter(nil)
        }()

        /// Masks values with secret names. The message is not searched for secrets.
        public func masked(_ line: LogLine) -> LogLine {
            guard !line.metadata.isEmpty else { return line }
            var line = line
            line.metadata = secret.masked(line.metadata)
            return line
        }

        public func action(for line: LogLine) -> LogRule.Action {
            let isLookedAt = rules.contains(where: \.looksAtMessages)
            let message =
                isLookedAt
                ? String(
                    String.UnicodeScalarView(line.message.unicodeScalars.prefix(Self.messageLimit)))
                : ""
            return rules.first { $0.matches(line, message: message) }?.action ?? otherwise
        }
    }
}
