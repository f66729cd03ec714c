// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LinuxSystem

extension ReportDatabase {
    /// Removes the reports that a policy does not keep, then what interrupted work left behind, and
    /// what is too much in `quarantine/`. Safe beside other processes: each report is locked and
    /// looked at again before it goes, and one that is in use stays.
    ///
    /// - Returns: everything that was removed. What goes wrong with one file is in `problems` and
    ///   stops no other.
    /// - Throws: when the reports cannot be listed at all.
    public func prune(
        _ policy: PrunePolicy, mode: PruneMode = .remove
    ) throws(DatabaseError) -> PruneSummary {
        let now = clock.now()
        let (pruneClock, isTrusted) = PruneClock.next(after: storedPruneClock(), at: now)
        var summary = PruneSummary()
        summary.isClockTrusted = isTrusted
        if mode == .remove { removeStaleLocks(into: &summary) }
        var candidates: [PruneCandidate] = []
        for state in ReportState.allCases {
            candidates += try reports(state).reports.map(PruneCandidate.init)
        }
        removeReports(policy, &candidates, at: now, mode, into: &summary)
        summary.keptCount = candidates.count
        summary.keptBytes = candidates.reduce(0) { $0.addingClamped($1.sizeBytes) }
        var quarantine = QuarantineLimits()
        quarantine.maxAgeDays = policy.maxAgeDays
        pruneQuarantine(quarantine, at: now, mode, into: &summary)
        removeStalePieces(mode, into: &summary)
        if mode == .remove, let pruneClock { store(pruneClock, into: &summary) }
        return summary
    }

    /// Carries out the plan, and makes another where a report was busy: then another one may have
    /// to go instead.
    private func removeReports(
        _ policy: PrunePolicy, _ candidates: inout [PruneCandidate], at now: Date,
        _ mode: PruneMode, into summary: inout PruneSummary
    ) {
        // Each round but the last takes a candidate out or marks it, so there is an end.
        for _ in 0...candidates.count {
            let plan = policy.plan(
                for: candidates, at: now, isClockTrusted: summary.isClockTrusted)
            var isComplete = true
            for removal in plan.removals {
                guard carryOut(removal, &candidates, mode, into: &summary) else {
                    isComplete = false
                    break
                }
            }
            guard isComplete else { continue }
            redate(plan.fromTheFuture, to: now, mode, into: &summary)
            return
        }
    }

    /// - Returns: false when the report stays, so that the rest of the plan is no longer right.
    private func carryOut(
        _ removal: PruneRemoval, _ candidates: inout [PruneCandidate], _ mode: PruneMode,
        into summary: inout PruneSummary
    ) -> Bool {
        let candidate = removal.candidate
        guard let index = candidates.firstIndex(of: candidate) else { return true }
        do throws(DatabaseError) {
            if mode == .dryRun {
                summary.removals.append(removal)
            } else if try remove(candidate.uuid, from: candidate.state, ifStill: candidate) {
                summary.removals.append(removal)
            }
            // One that changed meanwhile, or is gone, is the next pass's.
            candidates.remove(at: index)
            return true
        } catch .busy {
            summary.busy.append(candidate.uuid)
        } catch {
            summary.problems.append(error.description)
        }
        candidates[index].isLocked = true
        return false
    }

    private func redate(
        _ candidates: [PruneCandidate], to now: Date, _ mode: PruneMode,
        into summary: inout PruneSummary
    ) {
        for candidate in candidates {
            do throws(DatabaseError) {
                if mode == .remove {
                    try changeLocked(candidate.uuid, from: candidate.state, to: candidate.state) {
                        $0.creationSeconds = now.wholeSeconds
                    }
                }
                summary.redated.append(candidate.uuid)
            } catch .busy {
                continue
            } catch .notFound {
                continue
            } catch .alreadyUploaded {
                continue
            } catch {
                summary.problems.append(error.description)
            }
        }
    }

    private static var pruneClockName: String { "prune-clock" }

    private func storedPruneClock() -> PruneClock? {
        guard case .regular(let file) = try? root.find(Self.pruneClockName, for: .reading),
            let bytes = try? file.readAll(limit: PruneClock.byteLimit)
        else { return nil }
        return PruneClock(bytes)
    }

    /// Put in place whole. Of two passes at once either may win; both mean the same time.
    private func store(_ pruneClock: PruneClock, into summary: inout PruneSummary) {
        let beside = UUID().fileStem + ".clock"
        do throws(SystemError) {
            let file = try newReports.create(beside)
            try file.writeAll(pruneClock.bytes, at: 0)
            try file.synchronize()
            try newReports.rename(beside, to: root, as: Self.pruneClockName)
            try root.synchronize()
        } catch {
            _ = try? newReports.remove(beside)
            summary.problems.append(DatabaseError.system(error).description)
        }
    }
}
