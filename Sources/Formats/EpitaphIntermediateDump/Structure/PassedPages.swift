// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Releases the pages of a dump behind a reader, which looks at a few bytes between stacks while
/// the kernel maps the pages around them; otherwise peak memory would grow with the dump.
struct PassedPages {
    private static let stepByteCount = 1 << 20

    let bytes: ByteSlice
    /// End of the released pages; nil before the first call.
    private var end: Int?

    init(of bytes: ByteSlice) {
        self.bytes = bytes
    }

    mutating func pass(_ offset: Int) {
        guard let start = end else {
            end = offset
            return
        }
        guard offset > start, offset - start >= Self.stepByteCount else { return }
        bytes.slice(from: start, length: offset - start).forget()
        end = offset
    }
}
