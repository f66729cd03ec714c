// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A running Tests/Fixtures/python/collector.py; killed when the value goes.
final class RunningCollector {
    let url: String
    private let directory: TemporaryDirectory
    private let processID: Int32

    /// - Parameter answer: one of those the script knows.
    init(_ answer: String) throws {
        let directory = try TemporaryDirectory()
        self.directory = directory
        processID = try Subprocess.spawn([
            "python3", Products.fixture("python/collector.py"), directory.path, answer,
        ])
        let deadline = Date().addingTimeInterval(20)
        var port: Int?
        while port == nil, Date() < deadline {
            usleep(2_000)
            port = (try? String(contentsOfFile: directory.path("port"), encoding: .utf8))
                .flatMap { Int($0) }
        }
        url = "http://127.0.0.1:\(port ?? 0)/submit"
        try #require(port != nil)
    }

    deinit {
        kill(-processID, SIGKILL)
        var status: Int32 = 0
        waitpid(processID, &status, 0)
    }

    /// The request line and the headers of a request, counted from 0.
    func head(_ index: Int) throws -> String {
        try String(contentsOfFile: directory.path("\(index).head"), encoding: .utf8)
    }

    /// The body of a request, counted from 0.
    func body(_ index: Int) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: directory.path("\(index).body")))
    }
}
