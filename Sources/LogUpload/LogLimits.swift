// SPDX-License-Identifier: Apache-2.0

/// How much rolled logs may take before the oldest are deleted unsent.
public struct LogLimits: Sendable, Equatable {
    /// Rolled files that are kept; 0 for any number.
    public var maximumFiles = 0
    /// Bytes all rolled files may have together; 0 for any number.
    public var diskQuotaBytes = 0

    public init() {}

    /// The files to delete, the oldest first, so that the rest is within the limits.
    ///
    /// - Parameters:
    ///   - files: all rolled files, the oldest first.
    ///   - spared: one that stays all the same.
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

/// Why a log was deleted without being sent.
public enum DiscardReason: String, Sendable, Equatable {
    case maximumFiles
    case diskQuota
}

extension DiscardReason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .maximumFiles: "there are more rolled logs than may be kept"
        case .diskQuota: "the rolled logs take more of the disk than they may"
        }
    }
}
