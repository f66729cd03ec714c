// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphMinidump

/// A minidump that is scrubbed while it is read: no copy of it is left anywhere, and none needs
/// room on a disk that may be full.
final class ScrubbedMinidump: ContentReader {
    /// Pages that were read are released in steps of this size.
    private static let stepBytes = 1 << 20

    private let plan: ScrubPlan
    private let source: BodyFile?

    /// - Parameter source: the bytes that the plan was made from. A plan is valid only for these.
    init(_ plan: ScrubPlan, of source: OutgoingContent) {
        self.plan = plan
        self.source = if case .file(let file) = source { file } else { nil }
    }

    var byteCount: Int { plan.byteCount }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(TransportError) -> Int {
        // Also before reading, because bytes that are gone cannot be read.
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
