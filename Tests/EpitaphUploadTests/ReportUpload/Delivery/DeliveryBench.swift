// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphTestSupport
import EpitaphValues
import Foundation

@testable import EpitaphHTTP
@testable import EpitaphUpload

/// Everything a pass needs, made up: reports, a queue, a server, a clock and a network.
final class DeliveryBench {
    let directory: TemporaryDirectory
    let queue = FakeQueue()
    let clock = TestClock()
    let transport: FakeTransport
    var network = FakeNetwork()
    var rules = DeliveryRules()
    var callbacks = UploadCallbacks()
    var url = "http://host/"
    let minidump = Array("MDMP".utf8)

    init(reports: Int = 1, _ answers: Result<UploadResponse, TransportError>...) throws {
        directory = try TemporaryDirectory()
        transport = FakeTransport()
        transport.answers = answers
        for index in 0..<reports {
            let path = try directory.write(minidump, to: "\(index).dmp")
            queue.reports.append(PendingReport(uuid: Epitaph.ID(), minidumpPath: path))
        }
        transport.onSend = { [queue, clock] in
            queue.note("send at \(Int(clock.monotonicSeconds() - 1_000))")
        }
    }

    func uploader() throws -> ReportUploader<FakeQueue> {
        ReportUploader(
            queue: queue, destination: UploadDestination(try UploadURL(url)),
            transport: transport,
            describe: { _ in
                ReportContents(annotations: [Annotation(name: "prod", value: "daemon")])
            }, rules: rules, callbacks: callbacks, clock: clock, network: network,
            random: NoJitter())
    }

    func upload() throws -> UploadSummary {
        var uploader = try uploader()
        return try uploader.uploadPending()
    }

    /// One pass a minute until a request goes out.
    ///
    /// - Returns: how many seconds that took.
    func uploadUntilNextRequest() throws -> Double {
        let start = clock.now()
        let before = transport.requests.count
        while transport.requests.count == before {
            clock.advance(bySeconds: 60)
            _ = try upload()
        }
        return clock.now().seconds(since: start)
    }

    func results() throws -> [UploadResult] {
        try upload().reports.map(\.result)
    }

    /// Seconds of the pass at which requests went out.
    var sendTimes: [Int] {
        queue.log.compactMap { $0.hasPrefix("send at ") ? Int($0.dropFirst(8)) : nil }
    }

    func state(_ index: Int = 0) -> DeliveryState {
        queue.states[queue.reports[index].uuid] ?? DeliveryState()
    }
}

extension Result where Success == UploadResponse, Failure == TransportError {
    static func status(
        _ status: Int, _ words: String = "", retryAfter: String? = nil
    ) -> Self {
        .success(UploadResponse(status: status, body: Array(words.utf8), retryAfter: retryAfter))
    }

    static var noConnection: Self {
        .failure(.cannotConnect(server: "http://host", reason: "refused"))
    }

    static var interrupted: Self {
        .failure(.interrupted(server: "http://host", reason: "reset"))
    }
}
