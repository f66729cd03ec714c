// SPDX-License-Identifier: Apache-2.0

extension Epitaph {
    /// How severe something is that the program notes or logs, from least to most.
    public enum Level: String, Sendable, Codable, CaseIterable, Comparable {
        /// Every step.
        case trace
        /// Useful when looking for a fault.
        case debug
        /// In the ordinary course of things.
        case info
        /// In the ordinary course of things, and worth knowing.
        case notice
        /// May lead to an error.
        case warning
        /// Something failed.
        case error
        /// The program cannot do its work.
        case critical

        /// Whether one is less severe than the other.
        public static func < (one: Level, other: Level) -> Bool { one.rank < other.rank }

        private var rank: Int {
            switch self {
            case .trace: 0
            case .debug: 1
            case .info: 2
            case .notice: 3
            case .warning: 4
            case .error: 5
            case .critical: 6
            }
        }
    }
}
