// SPDX-License-Identifier: Apache-2.0

import Events

/// A line on its way to a log, as whatever logger has it.
public struct LogLine: Sendable, Equatable {
    /// How severe it is.
    public var level: LogLevel
    /// What it is about: the logger's label. Empty for nothing.
    public var tag: String
    /// The line.
    public var message: String
    /// What the logger says besides.
    public var metadata: [String: EventValue]

    /// A line with its level.
    public init(
        _ level: LogLevel, tag: String = "", _ message: String,
        metadata: [String: EventValue] = [:]
    ) {
        self.level = level
        self.tag = tag
        self.message = message
        self.metadata = metadata
    }
}
