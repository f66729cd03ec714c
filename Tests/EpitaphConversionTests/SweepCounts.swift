// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion

extension SweepSummary {
    var endedWithoutCrashCount: Int {
        entries.count { if case .ended = $0.outcome { true } else { false } }
    }

    /// Files whose owners may still run.
    var stillAliveCount: Int {
        entries.count { if case .stillAlive = $0.outcome { true } else { false } }
    }
}
