// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Decides what happens to a line of a log: the first matching rule counts.
    ///
    /// Patterns are globs, not regular expressions: matching never takes longer than the product of
    /// both lengths, whatever the pattern and the line are.
    /// docs/decisions/watching-a-program.md
    public struct LogFilter: Sendable, Equatable {
        /// The rules, in the order in which they are tried.
        public let rules: [LogRule]
        /// The action for a line that matches no rule.
        public let otherwise: LogRule.Action
        private let secret: SecretNames

        /// The largest number of rules in a filter.
        public static let ruleLimit = 64
        private static let messageLimit = 512

        /// - Parameters:
        ///   - rules: in the order in which they are tried.
        ///   - otherwise: the action for a line that matches no rule.
        ///   - secretMetadata: names whose values are masked, besides those that have `auth`,
        ///     `cookie`, `credential`, `key`, `passw`, `secret`, `session`, `signature` or `token`
        ///     in them.
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

        /// Everything from `info` on becomes a breadcrumb, and from `error` on an event as well.
        public static let standard: LogFilter = {
            let rules = [
                try? LogRule(levels: .error ... .critical, .breadcrumbAndEvent),
                try? LogRule(levels: .info ... .warning, .breadcrumb),
            ]
            return (try? LogFilter(rules.compactMap { $0 })) ?? LogFilter(nil)
        }()

        /// The line, with values masked if their names stand for secrets. The message is not
        /// searched for secrets.
        public func masked(_ line: LogLine) -> LogLine {
            guard !line.metadata.isEmpty else { return line }
            var line = line
            for name in line.metadata.keys where secret.contain(name) {
                line.metadata[name] = .text(SecretNames.mask)
            }
            return line
        }

        /// What happens to a line.
        public func action(for line: LogLine) -> LogRule.Action {
            let isLookedAt = rules.contains { !$0.messages.isEmpty }
            let message =
                isLookedAt
                ? String(
                    String.UnicodeScalarView(line.message.unicodeScalars.prefix(Self.messageLimit)))
                : ""
            return rules.first { $0.matches(line, message: message) }?.action ?? otherwise
        }
    }
}
