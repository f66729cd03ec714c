// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// Limits of `quarantine/`, whatever the policy for reports: a program whose dumps cannot be
/// converted must not fill the disk. As for waiting dumps, fifty files and 256 MiB.
struct QuarantineLimits {
    var maxCount = 50
    var maxBytes = 256 << 20
    /// As for reports; 0 for no limit.
    var maxAgeDays = 0

    struct File: Equatable {
        var name: String
        var writtenTime: Timestamp
        var sizeBytes: Int
    }

    /// Oldest first. A file dated in the future is never too old, and the first to go if too many.
    func surplus(of files: [File], at now: Timestamp, isClockTrusted: Bool) -> [String] {
        let horizon = now.adding(seconds: PrunePolicy.clockToleranceSeconds)
        var kept = files.sorted { left, right in
            let leftKey = (left.writtenTime > horizon ? 0 : 1, left.writtenTime, left.name)
            let rightKey = (right.writtenTime > horizon ? 0 : 1, right.writtenTime, right.name)
            return leftKey < rightKey
        }
        var surplus: [String] = []
        if isClockTrusted, maxAgeDays > 0 {
            kept.removeAll { file in
                let age = now.seconds(since: file.writtenTime)
                guard age > Double(maxAgeDays) * 86_400 else { return false }
                surplus.append(file.name)
                return true
            }
        }
        var count = kept.count
        var bytes = kept.reduce(0.0) { $0 + Double($1.sizeBytes) }
        for file in kept where count > maxCount || bytes > Double(maxBytes) {
            surplus.append(file.name)
            count -= 1
            bytes -= Double(file.sizeBytes)
        }
        return surplus
    }
}

extension ReportDatabase {
    func pruneQuarantine(
        _ limits: QuarantineLimits, at now: Timestamp, _ mode: PruneMode,
        into summary: inout PruneSummary
    ) {
        do throws(DatabaseError) {
            guard let directory = try openDirectory(Self.quarantineName, ifMissing: .fail) else {
                return
            }
            let isClockTrusted = summary.isClockTrusted
            summary.quarantinePaths = try attempt { () throws(SystemError) in
                var files: [QuarantineLimits.File] = []
                for name in try directory.list().names {
                    // Directories are not ours; leave them for a person to look at.
                    guard let status = try directory.status(of: name), status.kind != .directory
                    else { continue }
                    files.append(
                        QuarantineLimits.File(
                            name: name, writtenTime: status.modificationTime,
                            sizeBytes: status.diskBytes))
                }
                let surplus = limits.surplus(
                    of: files, at: now, isClockTrusted: isClockTrusted)
                if mode == .remove, !surplus.isEmpty {
                    for name in surplus { try directory.remove(name) }
                    try directory.synchronize()
                }
                return surplus.map { directory.path(of: $0) }
            }
        } catch {
            summary.problems.append(error.description)
        }
    }
}
