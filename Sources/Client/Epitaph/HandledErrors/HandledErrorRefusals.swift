// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

// Why a handled error is not in a report.
extension Refusal {
    /// `stop` was called, or its time ran out before this error's turn.
    static let errorReportsStopped = unreported(.notStarted, "error reports were stopped")
    static let errorReportsNotStarted = unreported(.notStarted, notStarted.description)
    static let errorsOfParent = unreported(
        .inForkedChild, "the process is a child of the one that reports errors")

    static func tooManyErrors(perMinute: Int) -> Refusal {
        unreported(.limitReached, "there were \(perMinute) reports within a minute")
    }

    static func errorQueueIsFull(limit: Int) -> Refusal {
        unreported(.limitReached, "\(limit) others wait already")
    }

    /// - Parameter reason: names the file or the call that failed.
    static func errorNotFiled(_ reason: String) -> Refusal { unreported(.file, reason) }

    private static func unreported(_ kind: Kind, _ reason: String) -> Refusal {
        Refusal(kind, "the error is not reported: \(reason)")
    }
}
