// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphHTTP
import EpitaphValues

package enum UploadResult: Sendable, Equatable {
    /// The server's id for the report may be empty.
    case sent(serverID: String)
    /// The server accepted it in an earlier pass, and now it is filed as sent. Nothing was sent.
    case alreadySent
    /// An attempt was made and failed. The report stays in the queue.
    case failed(UploadFailure)
    /// No attempt was made. Whether the report stays in the queue: `SkipReason.leavesPending`.
    case skipped(SkipReason)
}

extension Epitaph {
    /// Why an attempt failed.
    public enum UploadFailure: Sendable, Equatable {
        /// There is no answer.
        case transport(TransportError)
        /// The server answered with something other than a success.
        case refused(UploadResponse)
        case tooLarge(UploadResponse, ReportSizes)
        /// The server has it, and that is stored; the next pass files it without sending it.
        case notFiledYet(serverID: String, DatabaseError)
        /// The server has it, but nothing could be stored: another process may send it again.
        case notFiled(serverID: String, DatabaseError)
        /// The queue would not let the attempt begin.
        case queue(DatabaseError)
    }

    package enum SkipReason: Sendable, Equatable {
        /// Uploads are off in the database, and this report was not requested.
        case uploadsDisabled
        /// Another process is sending it.
        case taken
        /// Another process has sent or removed it since this pass began.
        case gone
        /// An earlier report of this pass showed that nothing can be sent now.
        case serverUnavailable
        /// The server could not be reached, and its next try is not due yet.
        case serverUnreachable(until: Timestamp)
        /// The server refuses every request with this address and key; the next try is not due yet.
        case destinationRefused(status: Int?, words: String, until: Timestamp)
        case stopped
        /// The server will not accept it; its words at that time.
        case refusedBefore(words: String)
        /// Too large for the server with its attachments; nobody has decided about these.
        case choiceOpen
        case notDue(Timestamp)
        case serverPaused(until: Timestamp)
        case noNetwork
        /// The gate is closed; the reason continues "not sent now: ".
        case notNow(reason: String)
        case kept
        /// The user was asked and gave no answer.
        case unanswered
        /// The program or its user does not want it to be sent.
        case declined

        /// Whether the report is still in the queue.
        package var leavesPending: Bool { self != .declined && self != .gone }
    }
}

extension UploadResult: CustomStringConvertible {
    public var description: String {
        switch self {
        case .sent(let serverID):
            "sent" + (serverID.isEmpty ? "" : ", the server calls it \(serverID.oneLine())")
        case .alreadySent: "sent by an earlier pass and filed now"
        case .failed(let failure): "not sent: \(failure)"
        case .skipped(let reason):
            "\(reason.leavesPending ? "left pending" : "not sent"): \(reason)"
        }
    }
}

extension UploadFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .transport(let error): error.description
        case .refused(let response): "the server \(response.sentence)"
        case .tooLarge(let response, let sizes):
            "\(Self.refused(response)); \(sizes)"
        case .notFiledYet(let serverID, let error):
            "the server took it" + (serverID.isEmpty ? "" : " as \(serverID.oneLine())")
                + "; it will be filed as sent by the next pass: \(error)"
        case .notFiled(let serverID, let error):
            "the server took it" + (serverID.isEmpty ? "" : " as \(serverID.oneLine())")
                + ", but it could not be filed as sent and may be sent again: \(error)"
        case .queue(let error): error.description
        }
    }
}

extension SkipReason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .uploadsDisabled: "uploads are disabled and this report was not requested"
        case .taken: "it is in use by another process"
        case .gone: "another process has sent or removed it"
        case .serverUnavailable: "an earlier report showed that the server cannot be reached"
        case .serverUnreachable(let date):
            "the server could not be reached, and is tried again after \(date.utcText)"
        case .destinationRefused(let status, let words, let date):
            "the server refuses every report with this address and key, and is tried again after "
                + "\(date.utcText)" + (status.map { ". It answered \($0)" } ?? "")
                + (words.isEmpty ? "" : (status == nil ? ": " : " and said: ") + words.oneLine())
        case .stopped: "the uploader was stopped"
        case .refusedBefore(let words):
            "the server refused it; request its upload to try again"
                + (words.isEmpty ? "" : ". It said: \(words)")
        case .choiceOpen:
            "it is too large for the server; it can be sent without its attachments"
        case .notDue(let date): "it is tried again after \(date.utcText)"
        case .serverPaused(let date): "the server asked to wait until \(date.utcText)"
        case .noNetwork: "there is no network"
        case .notNow(let reason): "not sent now: \(reason.oneLine())"
        case .kept: "the program keeps it for now"
        case .unanswered: "the user has not answered yet whether it may be sent"
        case .declined: "the program or its user does not want it to be sent"
        }
    }
}

extension Timestamp {
    fileprivate var utcText: String { UTCTime.timestamp(self) }
}
