// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

extension Epitaph {
    /// Takes part in the decisions about logs and learns the results.
    ///
    /// All calls come on the thread that sends, one at a time, and delay the next log. With a
    /// `LogUploader` that is the uploader's own thread. A delegate must not wait there for the
    /// uploader to stop.
    public protocol LogUploadDelegate: AnyObject {
        /// Whether to send this log now. If not, the question comes again at the next look.
        func shouldUpload(_ file: LogFile) -> Bool

        /// The request is about to go out.
        func willUpload(_ file: LogFile)

        /// The server accepted it, and it was deleted unless `leftOver` says why not.
        ///
        /// - Parameters:
        ///   - file: the log that was sent.
        ///   - response: the server's answer, a success.
        ///   - leftOver: why it could not be deleted, in a sentence; it is not sent again as long
        ///     as this uploader runs and the file stays as it is. Nil when it was deleted.
        func didUpload(_ file: LogFile, _ response: UploadResponse, leftOver: String?)

        /// A try did not succeed. The file stays.
        ///
        /// - Parameters:
        ///   - file: the log that was tried.
        ///   - failure: why it did not succeed.
        ///   - willRetry: false when it is tried again only after a restart.
        func didFail(_ file: LogFile, _ failure: LogUploadFailure, willRetry: Bool)

        /// The file was deleted, compressed or renamed to something else before it could be sent.
        func didVanish(_ file: LogFile)

        /// The file was deleted unsent because of the limits.
        func didDiscard(_ file: LogFile, _ reason: DiscardReason)
    }
}

extension LogUploadDelegate {
    /// True: every log is sent.
    public func shouldUpload(_ file: Epitaph.LogFile) -> Bool { true }
    /// Does nothing.
    public func willUpload(_ file: Epitaph.LogFile) {}
    /// Does nothing.
    public func didUpload(
        _ file: Epitaph.LogFile, _ response: Epitaph.UploadResponse, leftOver: String?
    ) {}
    /// Does nothing.
    public func didFail(
        _ file: Epitaph.LogFile, _ failure: Epitaph.LogUploadFailure, willRetry: Bool
    ) {}
    /// Does nothing.
    public func didVanish(_ file: Epitaph.LogFile) {}
    /// Does nothing.
    public func didDiscard(_ file: Epitaph.LogFile, _ reason: Epitaph.DiscardReason) {}
}

extension Epitaph {
    /// Why a log did not get to the server.
    public enum LogUploadFailure: Error, Sendable, Equatable {
        /// The server answered with something other than a success.
        case refused(UploadResponse)
        /// There is no answer.
        case transport(TransportError)
        /// The file cannot be opened or read; the reason names it.
        case unreadable(reason: String)
        /// It was written to while it was being sent.
        case changed
    }
}

extension LogUploadFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .refused(let response):
            "the server answered \(response.status)"
                + (response.words.isEmpty ? "" : " and said: \(response.words)")
        case .transport(let error): error.description
        case .unreadable(let reason): reason
        case .changed: "it was written to while it was being sent, and is sent again as it is then"
        }
    }
}
