// SPDX-License-Identifier: Apache-2.0

/// One thing that could not be captured or read. Damage travels with the snapshot into the report.
package struct Damage: Sendable, Equatable {
    /// Which step lost it.
    package var stage: Stage
    /// What is affected, for example `thread 4711`, `modules`, `offset 0x1f3`.
    package var subject: String
    /// Why, in words that continue "<subject>: …".
    package var reason: String
    /// errno(3) where a system call failed.
    package var errorNumber: Int32?

    /// The work during which something was lost.
    package enum Stage: String, Sendable {
        /// The handler in the dying process.
        case capture
        /// Reading the intermediate dump or minidump.
        case reading
        /// Writing the minidump.
        case writing
    }

    /// See the properties of these names.
    package init(stage: Stage, subject: String, reason: String, errorNumber: Int32? = nil) {
        self.stage = stage
        self.subject = subject
        self.reason = reason
        self.errorNumber = errorNumber
    }

    /// The damage as one sentence without a full stop.
    package var sentence: String {
        guard let errorNumber else { return "\(subject): \(reason)" }
        return "\(subject): \(reason) (errno \(errorNumber))"
    }
}
