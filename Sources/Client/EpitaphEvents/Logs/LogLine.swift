// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// One line of a log, from any logger.
    public struct LogLine: Sendable, Equatable {
        public var level: Epitaph.Level
        /// The label of the logger; empty if there is none.
        public var tag: String
        public var message: String
        public var metadata: [String: Epitaph.Value]

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
