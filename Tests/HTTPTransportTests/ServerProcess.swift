// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A running server of Tests/Fixtures/python on 127.0.0.1; killed when the value goes.
final class ServerProcess {
    let port: Int
    private let directory: TemporaryDirectory
    private let processID: Int32

    /// Starts the program and waits for its port.
    ///
    /// - Parameter arguments: what follows the directory that it works in.
    init(_ program: String, _ arguments: [String]) throws {
        directory = try TemporaryDirectory()
        processID = try Subprocess.spawn(
            ["python3", Products.fixture("python/\(program)"), directory.path] + arguments,
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
                description: (try? String(contentsOfFile: directory.path("err"), encoding: .utf8))
                    ?? "")
        }
        port = number
    }

    deinit {
        kill(-processID, SIGKILL)
        var status: Int32 = 0
        waitpid(processID, &status, 0)
    }

    /// The path of a file the server writes.
    func path(_ name: String) -> String { directory.path(name) }
}

struct NoServer: Error, CustomStringConvertible {
    let description: String
}
