// SPDX-License-Identifier: Apache-2.0

/// Produces bytes on demand, more than once and the same each time.
package protocol ContentReader: AnyObject, Sendable {
    var byteCount: Int { get }

    /// Reads at least one byte; `buffer` is not empty and ends inside the content.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(TransportError) -> Int
}
