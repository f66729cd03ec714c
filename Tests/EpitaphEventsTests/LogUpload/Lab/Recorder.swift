// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphTestSupport

@testable import EpitaphLogUpload

extension PlayedServer.Request {
    /// The last part of the path.
    var file: String { String(url.split(separator: "/").last ?? "") }
    var id: String { String(url.split(separator: "/").dropLast().last ?? "") }
}

extension PlayedServer {
    var files: [String] { requests.map(\.file) }
}

/// Records what is reported, in order.
final class Recorder: LogUploadDelegate {
    private(set) var events: [String] = []
    var isWilling: (LogFile) -> Bool = { _ in true }

    func shouldUpload(_ file: LogFile) -> Bool { isWilling(file) }
    func willUpload(_ file: LogFile) { events.append("will \(file.name)") }

    func didUpload(_ file: LogFile, _ response: UploadResponse, leftOver: String?) {
        events.append("did \(file.name)" + (leftOver.map { _ in " and left it" } ?? ""))
    }

    func didFail(_ file: LogFile, _ failure: LogUploadFailure, willRetry: Bool) {
        events.append("failed \(file.name): \(failure)" + (willRetry ? "" : ", for good"))
    }

    func didVanish(_ file: LogFile) { events.append("vanished \(file.name)") }

    func didDiscard(_ file: LogFile, _ reason: DiscardReason) {
        events.append("discarded \(file.name): \(reason.rawValue)")
    }

    /// What was reported since the last call, without the announcements.
    func news() -> [String] {
        defer { events = [] }
        return events.filter { !$0.hasPrefix("will ") }
    }
}
