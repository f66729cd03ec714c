// SPDX-License-Identifier: Apache-2.0

import ReportScrubbing

/// A minidump as it may leave the machine, made while it is read: no copy of it lies about, and
/// none needs room on a disk that may be full.
final class ScrubbedMinidump: ContentReader {
    /// Pages that were read are let go in steps of this size.
    private static let stepBytes = 1 << 20

    private let plan: ScrubPlan
    private let source: BodyFile?

    /// - Parameter source: what the plan was made of. A plan is right for the bytes it was made of
    ///   and for no others.
    init(_ plan: ScrubPlan, of source: OutgoingContent) {
        self.plan = plan
        self.source = if case .file(let file) = source { file } else { nil }
    }

    var byteCount: Int { plan.byteCount }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(TransportError) -> Int {
        // Before as well: bytes that are gone from a mapped file cannot be asked for.
        try source?.requireUnchanged()
        let count = plan.read(into: buffer, at: offset)
        try source?.requireUnchanged()
        guard count > 0 else {
            throw .bodyUnreadable(reason: "the minidump became shorter while it was being sent")
        }
        let (first, last) = (offset / Self.stepBytes, (offset + count) / Self.stepBytes)
        if first != last { plan.forget(first * Self.stepBytes..<last * Self.stepBytes) }
        return count
    }
}
