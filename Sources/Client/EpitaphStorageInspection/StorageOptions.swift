// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Where to look for databases, and how much that may cost. Values out of range become the
    /// nearest valid value.
    public struct StorageOptions: Sendable, Equatable {
        /// Where to look for databases; nowhere unless set. Symbolic links inside are not followed.
        public var directories: [String] = []
        /// How many directories deep, 0 to 16. 4 unless set.
        public var depthLimit = 4 { didSet { depthLimit = min(max(depthLimit, 0), 16) } }
        /// How many names are looked at, 1 to 1,000,000. 10,000 unless set.
        public var nameLimit = 10_000 { didSet { nameLimit = min(max(nameLimit, 1), 1_000_000) } }
        /// How many databases are listed, 1 to 10,000. 100 unless set.
        public var databaseLimit = 100 {
            didSet { databaseLimit = min(max(databaseLimit, 1), 10_000) }
        }
        /// How long to wait for a lock, 0 to 10 s. 250 ms unless set.
        public var busyTimeout = Duration.milliseconds(250) {
            didSet { busyTimeout = busyTimeout.clamped(to: .zero ... .seconds(10)) }
        }
        /// How long one statement may take, 10 ms to 60 s, not counting the wait for a lock. 2 s
        /// unless set. This does not limit the wait for a disk that does not answer.
        public var timeLimit = Duration.seconds(2) {
            didSet { timeLimit = timeLimit.clamped(to: .milliseconds(10) ... .seconds(60)) }
        }
        /// How many rows one statement returns, 1 to 10,000. 200 unless set.
        public var rowLimit = 200 { didSet { rowLimit = min(max(rowLimit, 1), 10_000) } }
        /// How many bytes of one value are returned, 1 to 1 MiB. 4,096 unless set.
        public var valueLimitBytes = 4_096 {
            didSet { valueLimitBytes = min(max(valueLimitBytes, 1), 1 << 20) }
        }
        /// How many bytes of all values of a statement are returned, 1 to 64 MiB. 1 MiB unless set.
        public var resultLimitBytes = 1 << 20 {
            didSet { resultLimitBytes = min(max(resultLimitBytes, 1), 64 << 20) }
        }
        /// Whether `execute` may change databases. False unless set.
        public var allowsWriting = false
        /// Whether every SQLite in this process is Debian's `libsqlite3.so.0`. File locks belong to
        /// processes (fcntl(2)): two copies of SQLite in one process release each other's locks,
        /// and the database is damaged. Unless this is set, a database that this process has open
        /// is left alone. docs/decisions/watching-a-program.md
        public var sharesLibrary = false

        /// The defaults.
        public init() {}
    }
}
