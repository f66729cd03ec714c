// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension Epitaph {
    /// Limits on the number, size and age of a database's reports. A limit of 0 or less means no
    /// limit, which is the default.
    ///
    /// The rules are pure; `ReportDatabase.prune` carries them out. A report in use is never
    /// chosen, but it counts. The age limit chooses every report filed longer ago, whenever it
    /// crashed; with `sparesUnsent` only those that the server has or that were given up. The
    /// limits of number and size choose the most dispensable reports first: those that the server
    /// has, then those given up, then those that wait, and last those that a person asked to be
    /// sent. Among equals, those filed longer than a day ago go first, and among these the oldest
    /// crash.
    public struct PrunePolicy: Sendable, Equatable {
        /// Days since a report was filed.
        public var maxAgeDays: Int
        /// Reports, pending and completed together.
        public var maxRecordCount: Int
        /// Megabytes of 1,048,576 bytes, for the minidumps and attachments of all reports.
        public var maxDatabaseSizeMB: Int
        /// Whether the age limit spares reports that wait to be sent. There is no other copy of
        /// these, and the limits of number and size apply to them anyway.
        public var sparesUnsent = false

        /// Keeps an unattended database from filling the disk: 90 days, 500 reports, 1,024
        /// megabytes; spares waiting reports from the age limit.
        public static var standard: PrunePolicy {
            var policy = PrunePolicy(
                maxAgeDays: 90, maxRecordCount: 500, maxDatabaseSizeMB: 1_024)
            policy.sparesUnsent = true
            return policy
        }

        /// Clocks differ and are corrected: a report may be dated this far in the future.
        static let clockToleranceSeconds = 86_400.0

        /// Limits in days, reports and megabytes of 1,048,576 bytes; 0 means no limit.
        public init(maxAgeDays: Int = 0, maxRecordCount: Int = 0, maxDatabaseSizeMB: Int = 0) {
            self.maxAgeDays = maxAgeDays
            self.maxRecordCount = maxRecordCount
            self.maxDatabaseSizeMB = maxDatabaseSizeMB
        }

        /// The reports to remove.
        ///
        /// - Parameters:
        ///   - candidates: all reports of the database.
        ///   - isClockTrusted: whether `now` may decide about ages. Other limits apply anyway.
        package func plan(
            for candidates: [PruneCandidate], at now: Timestamp, isClockTrusted: Bool = true
        ) -> PrunePlan {
            var plan = PrunePlan()
            let trusted = isClockTrusted ? now : nil
            var kept = candidates.map { ($0.sparing(at: trusted), $0) }
                .sorted { $0.0 < $1.0 }.map(\.1)
            if isClockTrusted {
                takeTooOld(from: &kept, at: now, into: &plan)
                let horizon = now.adding(seconds: Self.clockToleranceSeconds)
                plan.fromTheFuture = kept.filter { !$0.isLocked && $0.creationTime > horizon }
            }
            takeTooMany(from: &kept, into: &plan)
            takeTooLarge(from: &kept, into: &plan)
            let removed = Set(plan.removals.map(\.candidate.uuid))
            plan.fromTheFuture.removeAll { removed.contains($0.uuid) }
            return plan
        }

        private func takeTooOld(
            from kept: inout [PruneCandidate], at now: Timestamp, into plan: inout PrunePlan
        ) {
            guard maxAgeDays > 0 else { return }
            let limitSeconds = Double(maxAgeDays) * 86_400
            kept.removeAll { candidate in
                guard !candidate.isLocked, !(sparesUnsent && candidate.isUnsent),
                    now.seconds(since: candidate.creationTime) > limitSeconds
                else { return false }
                plan.removals.append(PruneRemoval(candidate: candidate, reason: .tooOld))
                return true
            }
        }

        private func takeTooMany(from kept: inout [PruneCandidate], into plan: inout PrunePlan) {
            guard maxRecordCount > 0 else { return }
            var excess = kept.count - maxRecordCount
            // A more dispensable report in use goes later; no unsent one goes in its place.
            var inUse = 0
            kept.removeAll { candidate in
                if candidate.isLocked, !candidate.isUnsent { inUse += 1 }
                guard excess > (candidate.isUnsent ? inUse : 0), !candidate.isLocked else {
                    return false
                }
                excess -= 1
                plan.removals.append(PruneRemoval(candidate: candidate, reason: .tooMany))
                return true
            }
        }

        private func takeTooLarge(from kept: inout [PruneCandidate], into plan: inout PrunePlan) {
            guard maxDatabaseSizeMB > 0 else { return }
            let (limit, isBoundless) = maxDatabaseSizeMB.multipliedReportingOverflow(by: 1 << 20)
            guard !isBoundless else { return }
            // In floating point: a sparse file can have any size.
            var total = kept.reduce(0.0) { $0 + Double($1.sizeBytes) }
            var inUse = 0.0
            kept.removeAll { candidate in
                if candidate.isLocked, !candidate.isUnsent { inUse += Double(candidate.sizeBytes) }
                guard total - (candidate.isUnsent ? inUse : 0) > Double(limit), !candidate.isLocked,
                    candidate.sizeBytes > 0
                else { return false }
                total -= Double(candidate.sizeBytes)
                plan.removals.append(PruneRemoval(candidate: candidate, reason: .tooLarge))
                return true
            }
        }
    }
}
