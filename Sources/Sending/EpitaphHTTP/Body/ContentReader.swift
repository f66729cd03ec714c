// SPDX-License-Identifier: Apache-2.0

/// Produces bytes on demand, more than once and the same each time.
package protocol ContentReader: AnyObject, Sendable {
    var byteCount: Int { get }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(TransportError) -> Int
}
