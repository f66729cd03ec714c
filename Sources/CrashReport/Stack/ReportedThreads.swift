// SPDX-License-Identifier: Apache-2.0

/// The threads a JSON or HTML report tells of.
public enum ReportedThreads: Sendable, Equatable {
    case all
    case crashingOnly
    /// The crashing thread, and others by their ids.
    case crashingAnd(Set<UInt64>)

    func contains(_ thread: ExplainedThread) -> Bool {
        switch self {
        case .all: true
        case .crashingOnly: false
        case .crashingAnd(let others): others.contains(thread.thread.id)
        }
    }
}
