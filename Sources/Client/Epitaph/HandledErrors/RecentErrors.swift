// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct RecentErrors {
    private var entries: [(key: UInt64?, error: RecentHandledError)] = []

    mutating func append(_ error: RecentHandledError, of key: UInt64?, limit: Int) {
        entries.append((key, error))
        if entries.count > limit { entries.removeFirst(entries.count - limit) }
    }

    /// Adds repetitions to the latest error of a kind.
    mutating func add(_ count: Int, to key: UInt64?) {
        guard let key, let index = entries.lastIndex(where: { $0.key == key }) else { return }
        entries[index].error.repeatCount += count
    }

    /// The oldest first.
    ///
    /// - Parameter waiting: the errors of a kind that are counted and not reported yet.
    func all(waiting: (UInt64) -> Int) -> [RecentHandledError] {
        var seen: Set<UInt64> = []
        return entries.reversed().map { entry in
            var error = entry.error
            if let key = entry.key, seen.insert(key).inserted { error.repeatCount += waiting(key) }
            return error
        }.reversed()
    }
}

/// The first errors of the kinds being counted, for the reports of counts. The total memory of
/// their stacks is limited; beyond that no stack is kept.
struct FirstErrors {
    static let stackLimitBytes = 1 << 20

    private var jobs: [UInt64: ErrorJob] = [:]
    private var stackBytes = 0

    mutating func keep(_ job: ErrorJob) {
        guard let key = job.key else { return }
        remove(key)
        var job = job
        job.completion = nil
        job.attachments = []
        job.capture = nil
        // Later errors of this kind have other scopes.
        job.scope = nil
        job.stack = job.stack?.compacted()
        if let bytes = job.stack?.byteCount {
            if stackBytes + bytes > Self.stackLimitBytes {
                job.stack = nil
            } else {
                stackBytes += bytes
            }
        }
        jobs[key] = job
    }

    mutating func forget(where isForgotten: (UInt64) -> Bool) {
        for key in Array(jobs.keys) where isForgotten(key) { remove(key) }
    }

    /// The report of the errors that followed the first.
    func job(for followUp: FloodControl.FollowUp, newID: Epitaph.ID) -> ErrorJob {
        var job =
            jobs[followUp.key]
            ?? ErrorJob(
                id: newID, key: followUp.key, subject: .message("a repeated error"),
                properties: [:], attachments: [], place: nil, timeNanoseconds: 0)
        job.id = newID
        job.followUp = followUp
        return job
    }

    private mutating func remove(_ key: UInt64) {
        guard let job = jobs.removeValue(forKey: key) else { return }
        stackBytes -= job.stack?.byteCount ?? 0
    }
}
