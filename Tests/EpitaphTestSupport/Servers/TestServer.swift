// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A running server of Tests/Fixtures/python on 127.0.0.1; killed when the value goes.
///
/// The programs work in a directory of their own: each writes the port it listens on to `port`
/// there, and what it received to the files that its own text describes.
package final class TestServer: Sendable {
    package let port: Int
    private let directory: TemporaryDirectory
    private let processID: Int32

    /// Starts the program and waits until it listens.
    ///
    /// - Parameters:
    ///   - program: its name in Tests/Fixtures/python.
    ///   - arguments: what follows the directory that it works in.
    package init(_ program: String, _ arguments: [String] = []) throws {
        directory = try TemporaryDirectory()
        // -B: no compiled modules beside the sources.
        processID = try Subprocess.spawn(
            ["python3", "-B", Products.fixture("python/\(program)"), directory.path] + arguments,
            error: directory.path("err"))
        let portFile = directory.path("port")
        var number: Int?
        _ = eventually {
            number = (try? String(contentsOfFile: portFile, encoding: .utf8)).flatMap { Int($0) }
            return number != nil
        }
        guard let number else {
            kill(-processID, SIGKILL)
            throw NoServer(
                (try? String(contentsOfFile: directory.path("err"), encoding: .utf8)) ?? "")
        }
        port = number
    }

    /// collector.py with one of the answers that the script knows.
    package static func collector(_ answer: String) throws -> TestServer {
        try TestServer("collector.py", [answer])
    }

    deinit {
        kill(-processID, SIGKILL)
        var status: Int32 = 0
        waitpid(processID, &status, 0)
    }

    package var url: String { "http://127.0.0.1:\(port)/submit" }

    /// The path of a file the server writes.
    package func path(_ name: String) -> String { directory.path(name) }

    /// The text of a file the server writes; empty while there is none.
    package func text(_ name: String) -> String {
        (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? ""
    }

    /// What the server complained of; empty when all is well.
    package var complaints: String { text("err") }
}

/// A server, or something that it needs, could not be started.
package struct NoServer: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
