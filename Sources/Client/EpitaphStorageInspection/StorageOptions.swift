// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Where to look for databases, and limits. Values out of range are clamped.
    public struct StorageOptions: Sendable, Equatable {
        /// Directories to search. Symbolic links inside are not followed.
        public var directories: [String] = []
        /// Depth of the search, 0 to 16.
        public var depthLimit = 4 { didSet { depthLimit = min(max(depthLimit, 0), 16) } }
        /// Limit on names visited, 1 to 1,000,000.
        public var nameLimit = 10_000 { didSet { nameLimit = min(max(nameLimit, 1), 1_000_000) } }
        /// Limit on databases listed, 1 to 10,000.
        public var databaseLimit = 100 {
            didSet { databaseLimit = min(max(databaseLimit, 1), 10_000) }
        }
        /// How long to wait for a lock, 0 to 10 s.
        public var busyTimeout = Duration.milliseconds(250) {
            didSet { busyTimeout = busyTimeout.clamped(to: .zero ... .seconds(10)) }
        }
        /// How long a statement may take, 10 ms to 60 s, without the wait for a lock. Does not
        /// limit the wait for a disk that does not answer.
        public var timeLimit = Duration.seconds(2) {
            didSet { timeLimit = timeLimit.clamped(to: .milliseconds(10) ... .seconds(60)) }
        }
        /// Limit on rows of one statement, 1 to 10,000.
        public var rowLimit = 200 { didSet { rowLimit = min(max(rowLimit, 1), 10_000) } }
        /// Limit on the returned bytes of one value, 1 to 1 MiB.
        public var valueLimitBytes = 4_096 {
            didSet { valueLimitBytes = min(max(valueLimitBytes, 1), 1 << 20) }
        }
        /// Limit on the returned bytes of a statement, 1 to 64 MiB.
        public var resultLimitBytes = 1 << 20 {
            didSet { resultLimitBytes = min(max(resultLimitBytes, 1), 64 << 20) }
        }
        /// Whether `execute` may change databases.
        public var allowsWriting = false
        /// Whether every SQLite in this process is Debian's `libsqlite3.so.0`. Unless set, a
        /// database that this process has open is left alone: file locks belong to processes
        /// (fcntl(2)), so two copies of SQLite release each other's locks, which damages the
        /// database. docs/decisions/watching-a-program.md
        public var sharesLibrary = false

        public init() {}
    }
}
