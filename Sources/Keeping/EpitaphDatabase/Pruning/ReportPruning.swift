// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension ReportDatabase {
    /// Removes the reports that a policy does not keep, then leftovers of interrupted work, and
    /// whatever exceeds the limits of `quarantine/`. Safe beside other processes: each report is
    /// locked and checked again before its removal, and a report in use stays. Failures with files
    /// are in `problems`.
    ///
    /// - Parameters:
    ///   - policy: its `maxAgeDays` also applies to quarantined files.
    ///   - witness: from `clockWitness()` before this process filed anything; nil to call it here.
    /// - Throws: if the reports cannot be listed.
    package func prune(
        _ policy: PrunePolicy, mode: PruneMode = .remove, witness: ClockWitness? = nil
    ) throws(DatabaseError) -> PruneSummary {
        let now = clock.now()
        let witness = witness ?? clockWitness()
        let (pruneClock, isTrusted) = PruneClock.next(
            after: storedPruneClock(), witness: witness.latestTime, at: now)
        var summary = PruneSummary()
        summary.isClockTrusted = isTrusted
        if mode == .remove { removeStaleLocks(into: &summary) }
        let list = try allReports()
        var candidates = list.reports.map(PruneCandidate.init)
        summary.problems += list.unreadable.map(\.sentence)
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

    /// Plans again if a report was busy, because another one may have to go instead. Any other
    /// failure ends it: on a failing disk nothing else may be removed.
    private func removeReports(
        _ policy: PrunePolicy, _ candidates: inout [PruneCandidate], at now: Timestamp,
        _ mode: PruneMode, into summary: inout PruneSummary
    ) {
        // Terminates: each round but the last removes or marks a candidate.
        for _ in 0...candidates.count {
            let plan = policy.plan(
                for: candidates, at: now, isClockTrusted: summary.isClockTrusted)
            var finished: Set<PruneCandidate> = []
            defer { candidates.removeAll { finished.contains($0) } }
            do throws(DatabaseError) {
                var rest = plan.removals[...]
                while !rest.isEmpty {
                    try carryOut(rest.prefix(Self.batchCount), &finished, mode, into: &summary)
                    rest = rest.dropFirst(Self.batchCount)
                }
                redate(plan.fromTheFuture, to: now, mode, into: &summary)
                return
            } catch .busy(let uuid) {
                summary.busy.append(uuid)
                for index in candidates.indices where candidates[index].uuid == uuid {
                    candidates[index].isLocked = true
                }
            } catch {
                summary.problems.append(error.description)
                return
            }
        }
    }

    /// Limits the descriptors, one for each lock.
    private static let batchCount = 64

    private func carryOut(
        _ removals: ArraySlice<PruneRemoval>, _ finished: inout Set<PruneCandidate>,
        _ mode: PruneMode, into summary: inout PruneSummary
    ) throws(DatabaseError) {
        let results =
            mode == .remove
            ? remove(removals.map(\.candidate)[...]) : removals.map { _ in .success(true) }
        var failure: DatabaseError?
        for (removal, result) in zip(removals, results) {
            var isGone: Bool
            do throws(DatabaseError) {
                isGone = try result.get()
                // A report that changed or moved meanwhile is left for the next pass.
                finished.insert(removal.candidate)
            } catch {
                failure = failure ?? error
                isGone = isCertainlyGone(removal.candidate, after: error)
                if isGone { finished.insert(removal.candidate) }
            }
            if isGone { summary.removals.append(removal) }
        }
        if let failure { throw failure }
    }

    /// Whether the minidump was removed although a later step failed. A busy report, or one that
    /// moved to another state, is not gone.
    private func isCertainlyGone(
        _ candidate: PruneCandidate, after error: DatabaseError
    ) -> Bool {
        if case .busy = error { return false }
        let name = candidate.uuid.minidumpName
        do throws(SystemError) {
            for state in ReportState.allCases
            where try directory(of: state).status(of: name) != nil {
                return false
            }
            return true
        } catch {
            return false
        }
    }

    private func redate(
        _ candidates: [PruneCandidate], to now: Timestamp, _ mode: PruneMode,
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

    static var pruneClockName: String { "prune-clock" }

    func storedPruneClock() -> PruneClock? {
        guard case .regular(let file, _) = try? root.find(Self.pruneClockName, for: .reading),
            let bytes = try? file.readAll(limit: PruneClock.byteLimit)
        else { return nil }
        return PruneClock(bytes)
    }

    /// Replaces the file atomically. Either of two passes may win; both mean the same time.
    private func store(_ pruneClock: PruneClock, into summary: inout PruneSummary) {
        do throws(SystemError) {
            try root.replace(
                Self.pruneClockName, with: pruneClock.bytes,
                writing: Epitaph.ID().fileStem + ".clock", in: newReports, isSynced: true)
        } catch {
            summary.problems.append(DatabaseError.system(error).description)
        }
    }
}

extension ReportList {
    /// Files named like reports that could not be examined.
    fileprivate var unreadable: [ReportProblem] {
        let listed = Set(reports.map(\.path))
        return problems.filter { problem in
            let name = problem.path.lastPathComponent
            return name.hasSuffix(".dmp") && Epitaph.ID(fileStem: name.dropLast(4)) != nil
                && !listed.contains(problem.path)
        }
    }
}
