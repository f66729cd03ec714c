// SPDX-License-Identifier: Apache-2.0

import Snapshot

/// Whether a report is all that there was to know: a proof, so what is not shown to be whole is not.
public struct Completeness: Sendable, Equatable {
    /// What is missing or uncertain, as sentences without a full stop; empty for a report that is
    /// complete.
    public var failures: [String]

    public var isComplete: Bool { failures.isEmpty }

    /// - Parameter threads: all of the snapshot's, those that were not unwound as well.
    init(of snapshot: ProcessSnapshot, _ threads: [ExplainedThread]) {
        failures = snapshot.damage.map(\.sentence)
        for thread in threads {
            if let why = thread.stack?.whyIncomplete ?? thread.stack?.whyAsyncCallersIncomplete {
                failures.append("\(thread.thread.damageSubject): \(why)")
            }
        }
    }
}
