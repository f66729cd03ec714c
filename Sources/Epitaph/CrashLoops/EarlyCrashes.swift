// SPDX-License-Identifier: Apache-2.0

/// How many launches in a row crashed soon after their starts.
struct EarlyCrashes: Sendable, Equatable {
    /// One launch that has ended, as far as it matters here.
    struct Ended: Sendable, Equatable {
        let id: UUID
        let isCrash: Bool
        /// Nil where that is not known, as when the clock was set back meanwhile.
        let runSeconds: Double?

        init(id: UUID, isCrash: Bool, runSeconds: Double?) {
            self.id = id
            self.isCrash = isCrash
            self.runSeconds = runSeconds
        }
    }

    let count: Int
    let last: UUID?

    /// - Parameter launches: the newest first.
    init(_ launches: [Ended], by policy: CrashLoopPolicy) {
        let early = launches.prefix { launch in
            guard launch.isCrash, let seconds = launch.runSeconds else { return false }
            return seconds >= 0 && seconds <= policy.earlySeconds
        }
        count = early.count
        last = early.first?.id
    }

    /// Nil unless there are as many as the policy wants.
    func loop(by policy: CrashLoopPolicy) -> CrashLoop? {
        count >= policy.crashCount ? CrashLoop(crashCount: count, lastReport: last) : nil
    }
}
