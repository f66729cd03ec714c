// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A running Tests/Fixtures/python/log_server.py; killed when the value goes.
package final class LogServer: Sendable {
    /// A log that arrived whole, whether or not the client knows it.
    package struct Received: Decodable, Sendable {
        package let method: String
        package let path: String
        /// Names in lower case.
        package let headers: [String: String]
        /// Of the text, decompressed as Content-Encoding says.
        package let sha256: String
        package let length: Int

        /// The parts of a path `/{uuid}/{file}`.
        package var id: String { path.split(separator: "/").first.map(String.init) ?? "" }
        package var file: String { path.split(separator: "/").last.map(String.init) ?? "" }
    }

    /// Ends in `/{uuid}/{file}`.
    package let url: String
    private let server: TestServer

    /// - Parameter seed: with one, requests fail in random ways.
    package init(seed: Int? = nil) throws {
        server = try TestServer("log_server.py", seed.map { ["\($0)"] } ?? [])
        url = "http://127.0.0.1:\(server.port)/{uuid}/{file}"
    }

    /// What arrived so far, in order.
    package var received: [Received] {
        // The last line may not be whole yet.
        server.text("received").split(separator: "\n").compactMap {
            try? JSONDecoder().decode(Received.self, from: Data($0.utf8))
        }
    }

    /// What the server complained of; empty when all is well.
    package var complaints: String { server.complaints }
}
