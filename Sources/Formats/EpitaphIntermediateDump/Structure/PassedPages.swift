// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Releases the pages of a dump behind a reader. It looks at a few bytes between stacks, and the
/// kernel maps the pages around each of them; without this the peak of memory would grow with the
/// size of the dump.
struct PassedPages {
    private static let stepByteCount = 1 << 20

    let bytes: ByteSlice
    /// Where the pages that are not released yet begin; nil before the first call.
    private var end: Int?

    init(of bytes: ByteSlice) {
        self.bytes = bytes
    }

    /// Declares that everything from the first offset passed in up to this one has been read.
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
