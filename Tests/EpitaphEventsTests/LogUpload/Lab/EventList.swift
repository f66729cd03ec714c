// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import Synchronization

@testable import EpitaphLogUpload

/// Records, for a test on another thread, what an uploader's thread reports.
final class EventList: LogUploadDelegate, Sendable {
    private let list = Mutex<[String]>([])

    var events: [String] { list.withLock { $0 } }

    private func add(_ event: String) { list.withLock { $0.append(event) } }

    func didUpload(_ file: LogFile, _ response: UploadResponse, leftOver: String?) {
        add("did \(file.name)")
    }

    func didFail(_ file: LogFile, _ failure: LogUploadFailure, willRetry: Bool) {
        add("failed \(file.name): \(failure)")
    }

    func didVanish(_ file: LogFile) { add("vanished \(file.name)") }
}
