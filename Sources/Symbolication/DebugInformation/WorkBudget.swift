// SPDX-License-Identifier: Apache-2.0

/// How much of a file's debug information may still be read: more than any real file has, so that a
/// corrupt one, whose entries may lead in circles, comes to an end.
final class WorkBudget {
    private static let total = 100_000_000
    private var left = total

    /// For another report. A file that was too much once stays closed.
    func renew() {
        if left > 0 { left = Self.total }
    }

    /// False when nothing is left.
    func spend(_ count: Int = 1) -> Bool {
        left -= count
        return left > 0
    }
}
