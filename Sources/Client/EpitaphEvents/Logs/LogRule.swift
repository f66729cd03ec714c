// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// What happens to lines of certain levels, tags and texts.
    public struct LogRule: Sendable, Equatable {
        public enum Action: Sendable, Equatable {
            case drop
            case breadcrumb
            case event
            case breadcrumbAndEvent

            /// What both together want.
            func joined(with other: Action) -> Action {
                if self == .drop || self == other { return other }
                return other == .drop ? self : .breadcrumbAndEvent
            }
        }

        public let levels: ClosedRange<Epitaph.Level>
        /// Patterns for tags; empty matches any tag.
        public let tags: [GlobPattern]
        /// Patterns for messages; empty matches any. Only the first 512 characters are compared.
        public let messages: [GlobPattern]
        /// Regular expressions for messages, beside the patterns: one of either has to match.
        public let expressions: [RegularExpression]
        public let action: Action

        /// The largest size of a pattern in bytes.
        public static let patternLimitBytes = 256
        /// Limit on patterns for tags, on patterns for messages, and on regular expressions.
        public static let patternLimit = 16

        /// - Parameters:
        ///   - levels: for example `.warning ... .critical`.
        ///   - tags: patterns for whole tags; empty matches any tag.
        ///   - messages: patterns for whole messages, for example `*timeout*`.
        ///   - expressions: looked for in messages, for example `timeout after \d+ ms`. Any message
        ///     matches if there are neither.
        /// - Throws: `SettingError` if a pattern is too long, or if there are too many.
        public init(
            levels: ClosedRange<Epitaph.Level> = .trace ... .critical, tags: [GlobPattern] = [],
            messages: [GlobPattern] = [], expressions: [RegularExpression] = [],
            _ action: Action
        ) throws(SettingError) {
            for patterns in [tags.map(\.text), messages.map(\.text), expressions.map(\.text)] {
                guard patterns.count <= Self.patternLimit else {
                    throw SettingError(
                        "\(patterns.count) patterns in one rule: \(Self.patternLimit) are "
                            + "possible; make more rules")
                }
                for pattern in patterns where pattern.utf8.count > Self.patternLimitBytes {
                    throw SettingError(
                        "the pattern that begins with \"\(pattern.prefix(40))\" is longer "
                            + "than \(Self.patternLimitBytes) bytes")
                }
            }
            self.levels = levels
            self.tags = tags
            self.messages = messages
            self.expressions = expressions
            self.action = action
        }

        var looksAtMessages: Bool { !messages.isEmpty || !expressions.isEmpty }

        func matches(_ line: LogLine, message: String) -> Bool {
            levels.contains(line.level)
                && (tags.isEmpty || tags.contains { $0.matches(line.tag) })
                && (!looksAtMessages || messages.contains { $0.matches(message) }
                    || expressions.contains { $0.matches(message) })
        }
    }
}
