// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Where databases are looked for, and what looking at them may cost. Values out of range
    /// become the nearest one within.
    public struct StorageOptions: Sendable, Equatable {
        /// Where databases are looked for; nowhere unless set. A symbolic link inside is not
        /// followed.
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
        /// How long one statement may take, 10 ms to 60 s, besides the wait for a lock. 2 s
        /// unless set. A disk that does not answer is waited for, as by every reader.
        public var timeLimit = Duration.seconds(2) {
            didSet { timeLimit = timeLimit.clamped(to: .milliseconds(10) ... .seconds(60)) }
        }
        /// How many rows one statement gives, 1 to 10,000. 200 unless set.
        public var rowLimit = 200 { didSet { rowLimit = min(max(rowLimit, 1), 10_000) } }
        /// Bytes given of one value, 1 to 1 MiB. 4,096 unless set.
        public var valueLimitBytes = 4_096 {
            didSet { valueLimitBytes = min(max(valueLimitBytes, 1), 1 << 20) }
        }
        /// Bytes given of all values of a statement, 1 to 64 MiB. 1 MiB unless set.
        public var resultLimitBytes = 1 << 20 {
            didSet { resultLimitBytes = min(max(resultLimitBytes, 1), 64 << 20) }
        }
        /// Whether `execute` may change databases. False unless set.
        public var allowsWriting = false
        /// Whether every SQLite in this process is Debian's `libsqlite3.so.0`. Locks of files
        /// belong to processes (fcntl(2)): two copies of SQLite in one process take them from each
        /// other, and the database is damaged. Unless this is set, a database that this process has
        /// open is left alone. docs/decisions/watching-a-program.md
        public var sharesLibrary = false

        /// The defaults.
        public init() {}
    }
}
