// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphMinidump

/// A minidump scrubbed while it is read, so that no copy needs room on the disk.
final class ScrubbedMinidump: ContentReader {
    /// Pages that were read are released in steps of this size.
    private static let stepBytes = 1 << 20

    private let plan: ScrubPlan
    private let source: BodyFile?

    /// - Parameter source: the bytes of the plan, which is valid only for these.
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
