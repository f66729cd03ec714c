// SPDX-License-Identifier: Apache-2.0

import EpitaphUpload
import EpitaphValues

extension Epitaph {
    /// Options of log uploads.
    public struct LogUploadOptions: Sendable {
        public var selection = LogSelection.standard
        public var limits = LogLimits()
        /// How long a file must be unchanged before it is sent.
        public var settleTime = Duration.seconds(5)
        /// The longest time between looks at the directory. The kernel does not report changes that
        /// other machines make on a network file system.
        public var lookInterval = Duration.seconds(60)
        /// Says whether a log may be sent now; asked before each attempt, and again every
        /// `lookInterval` while it is closed. `Epitaph.Gates` has ready ones. Must return at once.
        public var gate: (@Sendable (LogFile) -> GateAnswer)?
        /// Only `retryInterval`, `retryLimit` and `retryBehaviour` apply.
        public var retries = UploadLimits()

        public init() {}
    }

    /// Which names in a directory are logs that a logger has rolled.
    public struct LogSelection: Sendable, Equatable {
        public var rolled: [GlobPattern]
        /// Names that are never touched, whatever `rolled` says: files still being logged to.
        public var excluded: [GlobPattern]

        /// - Parameter excluded: takes precedence over `rolled`.
        public init(rolled: [GlobPattern], excluded: [GlobPattern] = []) {
            self.rolled = rolled
            self.excluded = excluded
        }

        /// `app.log.1`, `app.log-20261121`, and their compressed forms.
        public static let standard = LogSelection(
            rolled: [GlobPattern("*.log.*"), GlobPattern("*.log-*")])

        /// Excludes hidden files, and files still being written under a temporary name.
        public func includes(_ name: String) -> Bool {
            !name.hasPrefix(".") && !Self.unfinishedEndings.contains(where: name.hasSuffix)
                && rolled.contains { $0.matches(name) }
                && !excluded.contains { $0.matches(name) }
        }

        /// Suffixes that compressors append.
        static let compressedEndings = [".gz", ".zst", ".xz", ".bz2", ".lz4", ".Z"]

        private static let unfinishedEndings = [
            "~", ".tmp", ".temp", ".part", ".partial", ".swp", ".lock",
        ]
    }

    /// Limits on rolled logs. The oldest are deleted unsent.
    public struct LogLimits: Sendable, Equatable {
        /// Limit on the number of rolled files; 0 for no limit.
        public var maximumFiles = 0
        /// Limit on the size of all rolled files, in bytes; 0 for no limit.
        public var diskQuotaBytes = 0

        public init() {}

        /// The files to delete to get within the limits, oldest first.
        ///
        /// - Parameters:
        ///   - files: all rolled files, oldest first.
        ///   - spared: never deleted.
        func excess(of files: [LogFile], sparing spared: LogFile?) -> [(LogFile, DiscardReason)] {
            var count = files.count
            var bytes = files.reduce(0) { sum, file in
                let (total, overflow) = sum.addingReportingOverflow(max(file.sizeBytes, 0))
                return overflow ? .max : total
            }
            var excess: [(LogFile, DiscardReason)] = []
            for file in files where file != spared {
                let reason: DiscardReason
                if maximumFiles > 0, count > maximumFiles {
                    reason = .maximumFiles
                } else if diskQuotaBytes > 0, bytes > diskQuotaBytes {
                    reason = .diskQuota
                } else {
                    break
                }
                excess.append((file, reason))
                count -= 1
                bytes -= max(file.sizeBytes, 0)
            }
            return excess
        }
    }

    /// Why a log was deleted unsent.
    public enum DiscardReason: String, Sendable, Equatable {
        case maximumFiles
        case diskQuota
    }
}

extension DiscardReason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .maximumFiles: "there are more rolled logs than may be kept"
        case .diskQuota: "the rolled logs take more of the disk than they may"
        }
    }
}
