// SPDX-License-Identifier: Apache-2.0

import EpitaphUpload
import EpitaphValues

extension Epitaph {
    /// How logs are uploaded.
    public struct LogUploadOptions: Sendable {
        /// Which files are rolled logs.
        public var selection = LogSelection.standard
        /// How many of them are kept.
        public var limits = LogLimits()
        /// How long a file must be unchanged before it is sent.
        public var settleTime = Duration.seconds(5)
        /// The directory is looked through at least this often, even if nothing seems to happen: on
        /// a network file system the kernel does not see changes made by other machines.
        public var lookInterval = Duration.seconds(60)
        /// Only `retryInterval`, `retryLimit` and `retryBehaviour` apply.
        public var retries = UploadLimits()

        /// The standard names, any number of files, and the times given above.
        public init() {}
    }
}

extension Epitaph {
    /// Which names in a directory are logs that a logger has rolled.
    public struct LogSelection: Sendable, Equatable {
        /// Names a rolled file may have.
        public var rolled: [GlobPattern]
        /// Names that are never touched, whatever `rolled` says: the files that are still being
        /// logged to.
        public var excluded: [GlobPattern]

        /// - Parameters:
        ///   - rolled: names a rolled file may have.
        ///   - excluded: takes precedence over `rolled`.
        public init(rolled: [GlobPattern], excluded: [GlobPattern] = []) {
            self.rolled = rolled
            self.excluded = excluded
        }

        /// `app.log.1`, `app.log-20261121`, and what compression makes of them.
        public static let standard = LogSelection(
            rolled: [GlobPattern("*.log.*"), GlobPattern("*.log-*")])

        /// Hidden files, and files still being written under a temporary name, are not logs.
        public func includes(_ name: String) -> Bool {
            !name.hasPrefix(".") && !Self.unfinishedEndings.contains(where: name.hasSuffix)
                && rolled.contains { $0.matches(name) }
                && !excluded.contains { $0.matches(name) }
        }

        /// Suffixes that compressors append to the name of the file they replace.
        static let compressedEndings = [".gz", ".zst", ".xz", ".bz2", ".lz4", ".Z"]

        private static let unfinishedEndings = [
            "~", ".tmp", ".temp", ".part", ".partial", ".swp", ".lock",
        ]
    }
}

extension Epitaph {
    /// How much room rolled logs may take before the oldest are deleted unsent.
    public struct LogLimits: Sendable, Equatable {
        /// How many rolled files are kept; 0 for any number.
        public var maximumFiles = 0
        /// How many bytes all rolled files may have together; 0 for any number.
        public var diskQuotaBytes = 0

        /// No limits: nothing is deleted unsent.
        public init() {}

        /// The files to delete, the oldest first, so that the rest is within the limits.
        ///
        /// - Parameters:
        ///   - files: all rolled files, the oldest first.
        ///   - spared: a file that stays in any case.
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
}

extension Epitaph {
    /// Why a log was deleted without being sent.
    public enum DiscardReason: String, Sendable, Equatable {
        /// `LogLimits.maximumFiles`
        case maximumFiles
        /// `LogLimits.diskQuotaBytes`
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
