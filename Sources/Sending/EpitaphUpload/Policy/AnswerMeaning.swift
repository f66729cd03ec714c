// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

extension Epitaph {
    /// The meaning of a server's answer, or its absence, for what was sent.
    public enum AnswerMeaning: Sendable, Equatable {
        /// The server has it.
        case accepted
        /// A retry may work, but not before this many seconds if given.
        case retry(notBeforeSeconds: Double?)
        /// The request was too large; with less in it, it may not be.
        case tooLarge
        /// The server will never accept this.
        case refused
        /// The server accepts nothing with this address and this key.
        case destinationRefused
    }
}

extension AnswerMeaning {
    /// By RFC 9110, section 15, and RFC 6585. A redirect that was not followed is final: the
    /// transport must not follow it, and another request would lead there again.
    ///
    /// Answers that the sender has no permission or that this address does not accept reports
    /// concern all reports: no or wrong credentials (401, 403, 407), payment required (402),
    /// nothing there (404, 410), no POST accepted (405), another server responsible (421), another
    /// protocol required (426).
    package init(_ response: UploadResponse, now: Timestamp) {
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

    /// Temporary: connections come back, certificates are renewed, a body may become readable.
    package init(_ error: TransportError) {
        self = .retry(notBeforeSeconds: nil)
    }
}
