// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// First errors of counted kinds, for the reports of counts; no stacks beyond a limit of memory.
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
        // Later errors of this kind have their own.
        job.properties = [:]
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

    func job(
        for followUp: FloodControl.FollowUp, with repeats: [RepeatedError], newID: Epitaph.ID,
        timeNanoseconds: UInt64
    ) -> ErrorJob {
        var job =
            jobs[followUp.key]
            ?? ErrorJob(
                id: newID, key: followUp.key, subject: .message("a repeated error"),
                properties: [:], attachments: [], place: nil, timeNanoseconds: 0)
        job.id = newID
        job.timeNanoseconds = timeNanoseconds
        job.followUp = followUp
        job.repeats = repeats
        return job
    }

    private mutating func remove(_ key: UInt64) {
        guard let job = jobs.removeValue(forKey: key) else { return }
        stackBytes -= job.stack?.byteCount ?? 0
    }
}
