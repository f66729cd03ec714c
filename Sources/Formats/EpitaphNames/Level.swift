// SPDX-License-Identifier: Apache-2.0

extension Epitaph {
    /// Severity of something that the program notes or logs.
    public enum Level: String, Sendable, Codable, CaseIterable, Comparable {
        case trace
        case debug
        /// Normal operation.
        case info
        /// Normal operation, worth knowing.
        case notice
        /// May lead to an error.
        case warning
        case error
        /// The program cannot do its work.
        case critical

        public static func < (one: Level, other: Level) -> Bool { one.rank < other.rank }

        /// The place in `allCases`.
        package var rank: Int {
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
