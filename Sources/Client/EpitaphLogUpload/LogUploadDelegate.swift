// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

extension Epitaph {
    /// Takes part in decisions about logs and learns the results.
    ///
    /// Called on the thread that sends (with a `LogUploader`, its own), one call at a time; each
    /// call delays the next log. A delegate must not wait there for the uploader to stop.
    public protocol LogUploadDelegate: AnyObject {
        /// Whether to send this log now. If not, it is asked again at the next look.
        func shouldUpload(_ file: LogFile) -> Bool

        func willUpload(_ file: LogFile)

        /// The server accepted the log.
        ///
        /// - Parameter leftOver: why it could not be deleted; nil if it was. This uploader does not
        ///   send it again unless the file changes.
        func didUpload(_ file: LogFile, _ response: UploadResponse, leftOver: String?)

        /// A try failed. The file stays.
        ///
        /// - Parameter willRetry: false if it is tried again only after a restart.
        func didFail(_ file: LogFile, _ failure: LogUploadFailure, willRetry: Bool)

        /// The file was deleted, compressed or renamed before it could be sent.
        func didVanish(_ file: LogFile)

        /// The file was deleted unsent because of a limit.
        func didDiscard(_ file: LogFile, _ reason: DiscardReason)
    }
}

extension LogUploadDelegate {
    public func shouldUpload(_ file: Epitaph.LogFile) -> Bool { true }
    public func willUpload(_ file: Epitaph.LogFile) {}
    public func didUpload(
        _ file: Epitaph.LogFile, _ response: Epitaph.UploadResponse, leftOver: String?
    ) {}
    public func didFail(
        _ file: Epitaph.LogFile, _ failure: Epitaph.LogUploadFailure, willRetry: Bool
    ) {}
    public func didVanish(_ file: Epitaph.LogFile) {}
    public func didDiscard(_ file: Epitaph.LogFile, _ reason: Epitaph.DiscardReason) {}
}

extension Epitaph {
    /// Why a log did not get to the server.
    public enum LogUploadFailure: Error, Sendable, Equatable {
        /// The server's response was not a success.
        case refused(UploadResponse)
        /// There was no response.
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
        case .refused(let response): "the server \(response.sentence)"
        case .transport(let error): error.description
        case .unreadable(let reason): reason
        case .changed: "it was written to while it was being sent, and is sent again as it is then"
        }
    }
}
