// SPDX-License-Identifier: Apache-2.0

/// Produces bytes on demand. They are read more than once, and must be the same each time.
package protocol ContentReader: AnyObject, Sendable {
    /// How many bytes there are in all; the same each time.
    var byteCount: Int { get }

    /// Reads at least one byte; `buffer` is not empty and ends inside the content.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(TransportError) -> Int
}
