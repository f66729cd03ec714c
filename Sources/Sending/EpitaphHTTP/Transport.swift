// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Sends one request and returns the answer. Uploads know no other part of the network.
package protocol Transport {
    /// Returns the server's answer, whatever its status; blocks until it has arrived or a time
    /// limit of the request has passed.
    ///
    /// A success is returned only if the whole body was sent and the whole answer received, up to
    /// the limit of the transport or the request's sink; a refusal counts as soon as it arrives.
    /// After an error the server may or may not have the report.
    func send(_ request: UploadRequest) throws(TransportError) -> UploadResponse
}

package final class LazyTransport: Transport {
    private let make: @Sendable () throws(TransportError) -> any Transport
    private var transport: (any Transport)?

    package init(make: @escaping @Sendable () throws(TransportError) -> any Transport) {
        self.make = make
    }

    package func send(_ request: UploadRequest) throws(TransportError) -> UploadResponse {
        if let transport { return try transport.send(request) }
        let made = try make()
        transport = made
        return try made.send(request)
    }
}

extension Epitaph {
    /// Why there is no answer to a request. Servers are named by scheme, host and port only: the
    /// user, the path and the query of an upload URL are often credentials.
    public enum TransportError: Error, Sendable, Equatable {
        /// The URL cannot be used for uploads.
        case invalidURL(reason: String)
        /// The name does not resolve, or no server accepted a connection in time.
        case cannotConnect(server: String, reason: String)
        /// No secure connection: an untrusted certificate, one of another host, a bad CA file.
        case tls(server: String, reason: String)
        /// The server stopped receiving or sending bytes, or the request's time was up.
        case timedOut(server: String, reason: String)
        /// The connection was lost before the whole answer was there.
        case interrupted(server: String, reason: String)
        /// The answer is not HTTP.
        case invalidAnswer(server: String, reason: String)
        /// The server redirects elsewhere, and the redirect rule does not allow that.
        case redirectRefused(server: String, target: String)
        /// The body cannot be read or prepared; nothing is wrong with the network.
        case bodyUnreadable(reason: String)
        /// A success whose body has more bytes than allowed.
        case answerTooLarge(server: String, limitBytes: Int)
        /// The answer's body could not be stored; nothing is wrong with the network.
        case answerNotKept(reason: String)
        /// The request needs a signature, but there is no key, or no library to sign with.
        case notSigned(server: String, reason: String)
        /// The HTTP library itself does not work, for example because there is too little memory.
        case unavailable(reason: String)

        /// True if any other request to the same server would have failed as well.
        public var concernsEveryRequest: Bool {
            switch self {
            case .invalidURL, .cannotConnect, .tls, .redirectRefused, .notSigned, .unavailable: true
            case .timedOut, .interrupted, .invalidAnswer, .bodyUnreadable, .answerTooLarge,
                .answerNotKept:
                false
            }
        }
    }
}

extension TransportError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidURL(let reason):
            "the upload URL cannot be used: \(reason)"
        case .cannotConnect(let server, let reason):
            "cannot connect to \(server): \(reason)"
        case .tls(let server, let reason):
            "no secure connection to \(server): \(reason)"
        case .timedOut(let server, let reason):
            "\(server) took too long: \(reason)"
        case .interrupted(let server, let reason):
            "the exchange with \(server) was interrupted: \(reason)"
        case .invalidAnswer(let server, let reason):
            "\(server) did not answer in HTTP: \(reason)"
        case .redirectRefused(let server, let target):
            "\(server) redirects uploads to \(target), where they are not sent:"
                + " only 307 and 308 to the same scheme, host and port are followed, a few times"
        case .bodyUnreadable(let reason):
            "the report cannot be put into a request: \(reason)"
        case .answerTooLarge(let server, let limitBytes):
            "the answer of \(server) has more than the \(limitBytes) bytes that are taken"
        case .answerNotKept(let reason):
            "the answer cannot be stored: \(reason)"
        case .notSigned(let server, let reason):
            "the request to \(server) cannot be signed: \(reason)"
        case .unavailable(let reason):
            "the HTTP library does not work: \(reason)"
        }
    }
}
