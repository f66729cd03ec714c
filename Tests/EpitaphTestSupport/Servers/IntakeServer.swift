// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A running Tests/Fixtures/python/intake.py, which takes crash reports and events; killed when the
/// value goes.
package final class IntakeServer: Sendable {
    /// A request that came in whole.
    package struct Request {
        package let status: Int
        /// Names to texts; those of files that are no text to their length.
        package let fields: [String: Any]
        package let files: [String: Any]
        /// As JSON has them.
        package let events: [[String: Any]]

        init?(_ line: Substring) {
            guard
                let json = try? JSONSerialization.jsonObject(with: Data(line.utf8))
                    as? [String: Any],
                let status = json["status"] as? Int
            else { return nil }
            self.status = status
            fields = json["fields"] as? [String: Any] ?? [:]
            files = json["files"] as? [String: Any] ?? [:]
            events = json["events"] as? [[String: Any]] ?? []
        }

        package var isReport: Bool { !files.isEmpty }
    }

    private let server: TestServer

    /// - Parameter answers: STATUS, or STATUS/SECONDS; the last one is repeated for ever, 200 if
    ///   there is none.
    package init(_ answers: [String] = []) throws {
        server = try TestServer("intake.py", answers)
    }

    package var reportsURL: String { "http://127.0.0.1:\(server.port)/reports" }
    package var eventsURL: String { "http://127.0.0.1:\(server.port)/events" }

    /// What came so far, in order.
    package var requests: [Request] {
        // The last line may not be whole yet.
        server.text("received").split(separator: "\n").compactMap(Request.init)
    }

    /// The forms of crash reports that were accepted.
    package var reports: [Request] { requests.filter { $0.isReport && $0.status == 200 } }

    /// Events that were accepted, of one type or of all.
    package func events(_ type: String? = nil) -> [[String: Any]] {
        requests.filter { $0.status == 200 }.flatMap(\.events)
            .filter { type == nil || $0["type"] as? String == type }
    }

    /// A member of the payloads of events of one type.
    package func told(_ type: String, _ member: String) -> [String] {
        events(type).compactMap { event in
            (event["payload"] as? [String: Any])?[member].map { "\($0)" }
        }
    }

    /// What the server complained of; empty when all is well.
    package var complaints: String { server.complaints }
}
