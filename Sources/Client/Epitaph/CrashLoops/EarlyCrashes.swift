// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

struct EarlyCrashes: Sendable, Equatable {
    struct Ended: Sendable, Equatable {
        let id: Epitaph.ID
        let isCrash: Bool
        /// Nil if unknown, for example because the clock was set back meanwhile.
        let runSeconds: Double?
    }

    let count: Int
    let last: Epitaph.ID?

    /// - Parameter launches: the newest first.
    init(_ launches: [Ended], by policy: CrashLoopPolicy) {
        let early = launches.prefix { launch in
            guard launch.isCrash, let seconds = launch.runSeconds else { return false }
            return seconds >= 0 && seconds <= policy.earlyTime.inSeconds
        }
        count = early.count
        last = early.first?.id
    }

    func loop(by policy: CrashLoopPolicy) -> CrashLoop? {
        count >= policy.crashCount ? CrashLoop(crashCount: count, lastReport: last) : nil
    }
}
