// SPDX-License-Identifier: Apache-2.0

import Events
import LogUpload

/// What becomes of lines of a log that have certain levels, tags and texts.
public struct LogRule: Sendable, Equatable {
    /// What becomes of a line.
    public enum Action: Sendable, Equatable {
        /// Nothing.
        case drop
        /// It becomes a breadcrumb.
        case breadcrumb
        /// It becomes an event.
        case event
        /// It becomes both.
        case breadcrumbAndEvent
    }

    /// The levels it is for.
    public let levels: ClosedRange<LogLevel>
    /// The tags it is for; empty for all.
    public let tags: [GlobPattern]
    /// The messages it is for; empty for all. Only the first 512 characters of a message are looked
    /// at.
    public let messages: [GlobPattern]
    /// What becomes of such lines.
    public let action: Action

    /// Bytes of a pattern.
    public static let patternLimitBytes = 256
    /// Patterns of a rule, for tags and for messages each.
    public static let patternLimit = 16

    /// - Parameters:
    ///   - levels: for example `.warning ... .critical`.
    ///   - tags: patterns for whole tags; none for all tags.
    ///   - messages: patterns for whole messages; `*timeout*` for a word somewhere in it.
    ///   - action: what becomes of such lines.
    /// - Throws: `LogRuleError` for a pattern that is too long, and for too many.
    public init(
        levels: ClosedRange<LogLevel> = .trace ... .critical, tags: [GlobPattern] = [],
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

    /// - Parameter message: its first characters.
    func matches(_ line: LogLine, message: String) -> Bool {
        levels.contains(line.level)
            && (tags.isEmpty || tags.contains { $0.matches(line.tag) })
            && (messages.isEmpty || messages.contains { $0.matches(message) })
    }
}

/// A rule that cannot be used.
public enum LogRuleError: Error, Sendable, Equatable {
    /// A pattern is longer than 256 bytes; how it begins.
    case patternTooLong(String)
    /// A rule has more than 16 patterns of one kind.
    case tooManyPatterns(Int)
    /// A filter has more than 64 rules.
    case tooManyRules(Int)
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
