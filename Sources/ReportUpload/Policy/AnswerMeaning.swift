// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What a server's answer, or the want of one, means for the report.
public enum AnswerMeaning: Sendable, Equatable {
    /// The server has the report.
    case accepted
    /// Another time may be better, but not before so many seconds, if the server said so.
    case retry(notBeforeSeconds: Double?)
    /// The request was too large; without attachments it may not be.
    case tooLarge
    /// The server will never take this report.
    case refused
    /// The server accepts nothing with this address and this key.
    case destinationRefused

    /// By RFC 9110, section 15, and RFC 6585. A redirect that was not followed is final: following
    /// it is forbidden to the transport, and asking again leads there again.
    ///
    /// Answers that the sender may not send, or that this address does not accept reports, concern
    /// all reports alike: no or wrong credentials (401, 403, 407), to be paid for (402), nothing
    /// there (404, 410), nothing that takes a POST (405), another server's business (421), another
    /// protocol wanted (426).
    public init(_ response: UploadResponse, now: Date) {
        switch response.status {
        case 200..<300: self = .accepted
        case 408, 425, 429, 500..<600:
            self = .retry(
                notBeforeSeconds: response.retryAfter.flatMap { RetryAfter.seconds($0, now: now) })
        case 401...405, 407, 410, 421, 426: self = .destinationRefused
        case 413: self = .tooLarge
        default: self = .refused
        }
    }

    /// Network and TLS errors pass: an administrator renews a certificate, a line comes back. A
    /// body that cannot be read may be readable again, too.
    public init(_ error: TransportError) {
        self = .retry(notBeforeSeconds: nil)
    }
}
