// SPDX-License-Identifier: Apache-2.0

/// One line of a log, from any logger.
public struct LogLine: Sendable, Equatable {
    /// How severe it is.
    public var level: LogLevel
    /// The label of the logger; empty if there is none.
    public var tag: String
    /// The text of the line.
    public var message: String
    /// The metadata of the line.
    public var metadata: [String: EventValue]

    /// Creates a line.
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
