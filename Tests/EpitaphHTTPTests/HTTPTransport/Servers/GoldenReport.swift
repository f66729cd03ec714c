// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphTestSupport
import EpitaphUpload
import EpitaphValues
import Foundation
import Testing

/// One report with a bit of everything, the same every time, and the destinations it is sent to.
enum GoldenReport {
    static let uuid = "0c9d5a2e-4b1f-4f0e-9d3c-7a6b5c4d3e2f"
    static let client = "a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d"
    static let minidump: [UInt8] = Array("MDMP\u{93}\u{a7}\r\n--x--\r\n".utf8) + [0, 0xff, 0x0a]
    static let annotations = [
        "prod": "example-daemon", "ver": "1.4.2", "environment": "production",
        "hostname": "node-7", "worker state": "serving\nsecond line", "grüße": "ä",
        "channel": "beta",
    ]
    static let log = "07:00 started\n07:01 crashed\n"

    static func report() throws -> OutgoingReport {
        OutgoingReport(
            uuid: Epitaph.ID(uuid)!, clientID: Epitaph.ID(client)!,
            minidump: .bytes(ByteSlice(minidump)), annotations: annotations,
            messages: ["Fatal error: Index out of range", "abort"],
            attachments: [
                OutgoingAttachment(
                    name: "daemon.log", content: .bytes(ByteSlice(Array(log.utf8))), type: .text),
                OutgoingAttachment(
                    name: "daemon.log", content: .bytes(ByteSlice([1, 2, 0xff]))),
                OutgoingAttachment(name: "prod", content: .bytes(ByteSlice([]))),
            ])
    }

    struct Destination: Sendable, CustomTestStringConvertible {
        /// Of the file in Tests/Fixtures/requests.
        let name: String
        /// As an operator writes it; PORT is replaced by the port.
        let specification: String
        var headers: [(name: String, value: String)] = []
        let isForm: Bool

        var testDescription: String { name }

        func made(
            port: Int, compression: BodyCompression = .none
        ) throws -> any ReportDestination {
            var options = DestinationOptions()
            options.compression = compression
            options.headers = headers
            return try DestinationSpecification(
                specification.replacing("PORT", with: String(port))
            ).destination(options)
        }
    }

    static let token = "5ec2e75ec2e75ec2e75ec2e75ec2e7ff"

    static let destinations = [
        Destination(
            name: "crashpad", specification: "http://127.0.0.1:PORT/submit?key=\(token)",
            isForm: true),
        Destination(
            name: "sentry", specification: "sentry:http://\(token)@127.0.0.1:PORT/base/42",
            isForm: true),
        Destination(
            name: "backtrace",
            specification: "backtrace:http://127.0.0.1:PORT/post?format=minidump&token=\(token)",
            isForm: true),
        Destination(
            name: "socorro", specification: "socorro:http://127.0.0.1:PORT/submit", isForm: true),
        Destination(
            name: "put",
            specification:
                "put:http://127.0.0.1:PORT/bucket/{product}/{uuid}.dmp?X-Amz-Signature=\(token)",
            isForm: false),
        Destination(
            name: "post", specification: "post:http://127.0.0.1:PORT/in/{file}",
            headers: [
                ("Authorization", "Bearer \(token)"), ("X-Report", "{{{uuid}}} of {version}"),
                ("Content-Type", "application/x-dmp"),
            ], isForm: false),
    ]
}
