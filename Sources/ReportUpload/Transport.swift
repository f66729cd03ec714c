// SPDX-License-Identifier: Apache-2.0

/// Carries one request to its server and brings the answer back. The only thing uploads know of the
/// network.
public protocol Transport {
    /// Sends `request` and returns what the server answered, whatever its status; blocks until the
    /// answer is there or one of the request's time limits has passed.
    ///
    /// A success is only returned when the whole body went out and the whole answer came in, up to
    /// the limit the transport keeps; a refusal counts as soon as it is heard. Everything else is
    /// an error, after which the server may or may not have the report.
    func send(_ request: UploadRequest) throws(TransportError) -> UploadResponse
}
