// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A running Tests/Fixtures/python/log_server.py on 127.0.0.1; killed when the value goes.
public final class LogServer: Sendable {
    /// A log that arrived whole, whether or not the client was told so.
    public struct Received: Decodable, Sendable {
        public let method: String
        public let path: String
        /// Names in lower case.
        public let headers: [String: String]
        /// Of the text, decompressed as Content-Encoding says.
        public let sha256: String
        public let length: Int

        /// The parts of a path `/{uuid}/{file}`.
        public var id: String { path.split(separator: "/").first.map(String.init) ?? "" }
        public var file: String { path.split(separator: "/").last.map(String.init) ?? "" }
    }

    /// Ends in `/{uuid}/{file}`.
    public let url: String
    private let directory: TemporaryDirectory
    private let processID: Int32

    /// - Parameter seed: with one, requests fail in random ways.
    public init(seed: Int? = nil) throws {
        let directory = try TemporaryDirectory()
        self.directory = directory
        let processID = try Subprocess.spawn(
            ["python3", "-B", Products.fixture("python/log_server.py"), directory.path]
                + (seed.map { ["\($0)"] } ?? []),
            error: directory.path("err"))
        self.processID = processID
        var port: Int?
        _ = eventually {
            port = (try? String(contentsOfFile: directory.path("port"), encoding: .utf8))
                .flatMap { Int($0) }
            return port != nil
        }
        url = "http://127.0.0.1:\(port ?? 0)/{uuid}/{file}"
        guard port != nil else { throw LaunchError(program: "python3", errorNumber: ETIMEDOUT) }
    }

    deinit {
        kill(-processID, SIGKILL)
        var status: Int32 = 0
        waitpid(processID, &status, 0)
    }

    /// What arrived so far, in order.
    public var received: [Received] {
        // The last line may not be whole yet.
        let lines = (try? String(contentsOfFile: directory.path("received"), encoding: .utf8)) ?? ""
        return lines.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(Received.self, from: Data($0.utf8))
        }
    }

    /// What the server complained of; empty when all is well.
    public var complaints: String {
        (try? String(contentsOfFile: directory.path("err"), encoding: .utf8)) ?? ""
    }
}
