// SPDX-License-Identifier: Apache-2.0

import Foundation
import ReportUpload
import TestSupport

/// A running Tests/Fixtures/python/collector.py; killed when the value goes.
final class Collector {
    enum Answer: String {
        case ok, accepted, missing, broken, garbage, cut, elsewhere, circle, nowhere
        case seeOther = "see-other"
        case close, stall, flood, moved, greeting
        case onceEach = "once-each"
        case earlyRefusal = "early-refusal"
        case earlySuccess = "early-success"
        case deafSuccess = "deaf-success"
    }

    struct Request {
        /// Counts the connections the collector took, from 0.
        let connection: Int
        /// The request line and the header lines.
        let lines: [String]
        let body: [UInt8]

        func header(_ name: String) -> String? {
            lines.dropFirst().first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }
    }

    let port: Int
    private let directory: TemporaryDirectory
    private let processID: Int32

    /// - Parameter certificate: PEM files; with them the collector speaks TLS.
    init(_ answer: Answer, certificate: Certificate? = nil) throws {
        directory = try TemporaryDirectory()
        processID = try Subprocess.spawn(
            ["python3", Products.fixture("python/collector.py"), directory.path, answer.rawValue]
                + (certificate.map { [$0.certificatePath, $0.keyPath] } ?? []),
            error: directory.path("err"))
        let deadline = Date().addingTimeInterval(20)
        while true {
            if let text = try? String(contentsOfFile: directory.path("port"), encoding: .utf8),
                let number = Int(text)
            {
                port = number
                return
            }
            guard Date() < deadline else {
                kill(-processID, SIGKILL)
                throw NoCollector(
                    description: (try? String(
                        contentsOfFile: directory.path("err"), encoding: .utf8)) ?? "")
            }
            usleep(2_000)
        }
    }

    deinit {
        kill(-processID, SIGKILL)
        var status: Int32 = 0
        waitpid(processID, &status, 0)
    }

    func url(_ rest: String = "/submit", scheme: String = "http") throws -> UploadURL {
        try UploadURL("\(scheme)://127.0.0.1:\(port)\(rest)")
    }

    /// What was received so far, in order.
    var requests: [Request] {
        var requests: [Request] = []
        while let head = try? String(
            contentsOfFile: directory.path("\(requests.count).head"), encoding: .utf8),
            let body = FileManager.default.contents(
                atPath: directory.path("\(requests.count).body"))
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

struct NoCollector: Error, CustomStringConvertible {
    let description: String
}

/// A certificate that nobody but itself vouches for, for 127.0.0.1.
final class Certificate {
    let certificatePath: String
    let keyPath: String
    private let directory: TemporaryDirectory

    init(address: String = "127.0.0.1") throws {
        directory = try TemporaryDirectory()
        certificatePath = directory.path("certificate.pem")
        keyPath = directory.path("key.pem")
        let run = try Subprocess.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=epitaph test",
            "-addext", "subjectAltName=IP:\(address)", "-keyout", keyPath, "-out",
            certificatePath,
        ])
        guard run.ending == .exited(0) else { throw NoCollector(description: run.standardError) }
    }
}
