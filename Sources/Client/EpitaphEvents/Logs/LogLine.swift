// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// One line of a log, from any logger.
    public struct LogLine: Sendable, Equatable {
        /// How severe it is.
        public var level: Epitaph.Level
        /// The label of the logger; empty if there is none.
        public var tag: String
        /// The text of the line.
        public var message: String
        /// The metadata of the line.
        public var metadata: [String: Epitaph.Value]

        /// Creates a line.
        public init(
            _ level: Epitaph.Level, tag: String = "", _ message: String,
            metadata: [String: Epitaph.Value] = [:]
        ) {
            self.level = level
            self.tag = tag
            self.message = message
            self.metadata = metadata
        }
    }
}
