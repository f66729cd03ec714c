// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// What happens to the lines that have certain levels, tags and texts.
    public struct LogRule: Sendable, Equatable {
        /// What happens to a line.
        public enum Action: Sendable, Equatable {
            /// It is ignored.
            case drop
            /// It becomes a breadcrumb.
            case breadcrumb
            /// It becomes an event.
            case event
            /// It becomes both.
            case breadcrumbAndEvent
        }

        /// The levels that match.
        public let levels: ClosedRange<Epitaph.Level>
        /// The tags that match; empty for any tag.
        public let tags: [GlobPattern]
        /// The messages that match; empty for any message. Only the first 512 characters are
        /// compared.
        public let messages: [GlobPattern]
        /// What happens to matching lines.
        public let action: Action

        /// The largest size of a pattern in bytes.
        public static let patternLimitBytes = 256
        /// How many patterns a rule may have for tags, and how many for messages.
        public static let patternLimit = 16

        /// - Parameters:
        ///   - levels: for example `.warning ... .critical`.
        ///   - tags: patterns for whole tags; empty for any tag.
        ///   - messages: patterns for whole messages; `*timeout*` for a word somewhere in it.
        ///   - action: what happens to matching lines.
        /// - Throws: `LogRuleError` if a pattern is too long, or if there are too many.
        public init(
            levels: ClosedRange<Epitaph.Level> = .trace ... .critical, tags: [GlobPattern] = [],
            messages: [GlobPattern] = [], _ action: Action
        ) throws(LogRuleError) {
            for patterns in [tags, messages] {
                guard patterns.count <= Self.patternLimit else {
                    throw .tooManyPatterns(patterns.count)
                }
                for pattern in patterns where pattern.text.utf8.count > Self.patternLimitBytes {
                    throw .patternTooLong(String(pattern.text.prefix(40)))
                }
            }
            self.levels = levels
            self.tags = tags
            self.messages = messages
            self.action = action
        }

        /// - Parameter message: the first characters of the message.
        func matches(_ line: LogLine, message: String) -> Bool {
            levels.contains(line.level)
                && (tags.isEmpty || tags.contains { $0.matches(line.tag) })
                && (messages.isEmpty || messages.contains { $0.matches(message) })
        }
    }
}

extension Epitaph {
    /// A rule that cannot be used.
    public enum LogRuleError: Error, Sendable, Equatable {
        /// A pattern is longer than 256 bytes. The value is its beginning.
        case patternTooLong(String)
        /// A rule has more than 16 patterns of one kind.
        case tooManyPatterns(Int)
        /// A filter has more than 64 rules.
        case tooManyRules(Int)
    }
}

extension LogRuleError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .patternTooLong(let start):
            "the pattern that begins with \"\(start)\" is longer than"
                + " \(LogRule.patternLimitBytes) bytes"
        case .tooManyPatterns(let count):
            "\(count) patterns in one rule: \(LogRule.patternLimit) are possible; make more rules"
        case .tooManyRules(let count):
            "\(count) rules in one filter: \(LogFilter.ruleLimit) are possible"
        }
    }
}
