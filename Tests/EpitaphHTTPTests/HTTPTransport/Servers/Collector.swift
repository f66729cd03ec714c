// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphTestSupport
import Foundation

/// A running Tests/Fixtures/python/collector.py; killed when the value goes.
final class Collector {
    /// What collector.py and misbehaviour.py call their answers.
    struct Answer: RawRepresentable, ExpressibleByStringLiteral, Sendable, CustomStringConvertible {
        let rawValue: String

        init(rawValue: String) { self.rawValue = rawValue }
        init(stringLiteral name: String) { rawValue = name }
        var description: String { rawValue }
    }

    struct Request {
        /// Counts the connections the collector took, from 0.
        let connection: Int
        /// The request line and the header lines.
        var lines: [String]
        let body: [UInt8]

        /// As it came over the wire.
        var bytes: [UInt8] {
            Array((lines.map { $0 + "\r\n" }.joined() + "\r\n").utf8) + body
        }

        func header(_ name: String) -> String? {
            lines.dropFirst().first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }
    }

    private let server: TestServer
    var port: Int { server.port }

    /// - Parameters:
    ///   - certificate: with it the collector speaks TLS.
    ///   - clientAuthority: a PEM file; only clients with a certificate of this authority are
    ///     served.
    init(
        _ answer: Answer, certificate: Certificate? = nil, clientAuthority: String? = nil
    ) throws {
        server = try TestServer(
            "collector.py",
            [answer.rawValue] + (certificate.map { [$0.certificatePath, $0.keyPath] } ?? [])
                + (clientAuthority.map { [$0] } ?? []))
    }

    func url(_ rest: String = "/submit", scheme: String = "http") throws -> UploadURL {
        try UploadURL("\(scheme)://127.0.0.1:\(port)\(rest)")
    }

    /// What was received so far, in order.
    var requests: [Request] {
        var requests: [Request] = []
        while let head = try? String(
            contentsOfFile: server.path("\(requests.count).head"), encoding: .utf8),
            let body = FileManager.default.contents(
                atPath: server.path("\(requests.count).body"))
        {
            let lines = head.components(separatedBy: "\r\n").filter { !$0.isEmpty }
            requests.append(
                Request(
                    connection: Int(lines[0]) ?? -1, lines: Array(lines.dropFirst()),
                    body: Array(body)))
        }
        return requests
    }
}
