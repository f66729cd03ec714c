// SPDX-License-Identifier: Apache-2.0

/// The bytes of a request's body, pulled front to back, as often as needed, a buffer at a time.
public protocol BodySource: AnyObject {
    /// How many bytes there are from the first to the last: what Content-Length says.
    var contentLength: Int { get }

    /// Fills `buffer` with the next bytes and returns how many: fewer than it holds only at the
    /// end, then 0.
    ///
    /// Never yields more or fewer bytes in all than `contentLength`; a file that changed meanwhile
    /// is an error.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int

    /// Goes back to the first byte: for a redirect, or when the server had closed a connection that
    /// was to be reused.
    func rewind() throws(TransportError)
}
