// SPDX-License-Identifier: Apache-2.0

/// Something that could not be captured or read. Damage is part of the report.
package struct Damage: Sendable, Equatable {
    package var stage: Stage
    /// For example `thread 4711`, `modules`, `offset 0x1f3`.
    package var subject: String
    /// Continues "<subject>: …".
    package var reason: String
    /// errno(3) of a failed system call.
    package var errorNumber: Int32?

    /// The step that lost something.
    package enum Stage: String, Sendable {
        case capture
        case reading
        case writing
    }

    package init(stage: Stage, subject: String, reason: String, errorNumber: Int32? = nil) {
        self.stage = stage
        self.subject = subject
        self.reason = reason
        self.errorNumber = errorNumber
    }

    package var sentence: String {
        guard let errorNumber else { return "\(subject): \(reason)" }
        return "\(subject): \(reason) (errno \(errorNumber))"
    }
}
