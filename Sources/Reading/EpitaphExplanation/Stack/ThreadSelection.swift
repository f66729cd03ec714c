// SPDX-License-Identifier: Apache-2.0

/// Which threads besides the crashing one are examined and shown. Others are not unwound either,
/// which saves most of the work.
package enum ThreadSelection: Sendable, Equatable {
    /// Every thread.
    case all
    /// None of them; a report says how many there are.
    case crashing
    /// Those with these ids; the others are not mentioned.
    case these(Set<UInt64>)

    /// - Parameter id: of a thread that did not crash.
    package func contains(_ id: UInt64) -> Bool {
        switch self {
        case .all: true
        case .crashing: false
        case .these(let ids): ids.contains(id)
        }
    }
}
