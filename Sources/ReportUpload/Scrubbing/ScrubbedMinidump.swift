// SPDX-License-Identifier: Apache-2.0

import ReportScrubbing

/// A minidump as it may leave the machine, made while it is read: no copy of it lies about, and none
/// needs room on a disk that may be full.
final class ScrubbedMinidump: ContentReader {
    /// Pages that were read are let go in steps of this size.
    private static let stepBytes = 1 << 20

    private let plan: ScrubPlan

    init(_ plan: ScrubPlan) {
        self.plan = plan
    }

    var byteCount: Int { plan.byteCount }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(TransportError) -> Int {
        let count = plan.read(into: buffer, at: offset)
        guard count > 0 else {
            throw .bodyUnreadable(reason: "the minidump became shorter while it was being sent")
        }
        let (first, last) = (offset / Self.stepBytes, (offset + count) / Self.stepBytes)
        if first != last { plan.forget(first * Self.stepBytes..<last * Self.stepBytes) }
        return count
    }
}
