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
        /// The action for matching lines.
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
        /// - Throws: `SettingError` if a pattern is too long, or if there are too many.
        public init(
            levels: ClosedRange<Epitaph.Level> = .trace ... .critical, tags: [GlobPattern] = [],
            messages: [GlobPattern] = [], _ action: Action
        ) throws(SettingError) {
            for patterns in [tags, messages] {
                guard patterns.count <= Self.patternLimit else {
                    throw SettingError(
                        "\(patterns.count) patterns in one rule: \(Self.patternLimit) are "
                            + "possible; make more rules")
                }
                for pattern in patterns where pattern.text.utf8.count > Self.patternLimitBytes {
                    throw SettingError(
                        "the pattern that begins with \"\(pattern.text.prefix(40))\" is longer "
                            + "than \(Self.patternLimitBytes) bytes")
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
