// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A real debuginfod(8) that serves the files of a directory; killed when the value goes.
package final class SymbolServer: Sendable {
    package let url: String
    private let processID: Int32
    private let files: TemporaryDirectory

    /// Starts it and waits until it knows `buildID`.
    ///
    /// - Parameters:
    ///   - directory: whose files it serves, and the sources that they name.
    ///   - buildID: of one of these files, in hexadecimal digits.
    package init(serving directory: String, knowing buildID: String) throws {
        files = try TemporaryDirectory()
        let port = try Self.freePort()
        url = "http://127.0.0.1:\(port)"
        processID = try Subprocess.spawn(
            [
                "debuginfod", "-F", "-d", files.path("index"), "-p", "\(port)", "-t", "0",
                directory,
            ],
            environment: ["DEBUGINFOD_URLS": "", "HOME": files.path, "XDG_CACHE_HOME": ""],
            error: files.path("err"))
        let asks =
            "import urllib.request as r; r.urlopen('\(url)/buildid/\(buildID)/executable').read()"
        let isReady = try eventually {
            try Subprocess.run(["python3", "-c", asks]).ending == .exited(0)
        }
        guard isReady else {
            kill(-processID, SIGKILL)
            throw NoServer(
                (try? String(contentsOfFile: files.path("err"), encoding: .utf8)) ?? "")
        }
    }

    deinit {
        kill(-processID, SIGKILL)
        var status: Int32 = 0
        waitpid(processID, &status, 0)
    }

    /// Whether Debian's `debuginfod` is installed.
    package static var isInstalled: Bool { Toolchain.executable("debuginfod") != nil }

    /// One that nobody listens on at the moment.
    private static func freePort() throws -> Int {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard result else { throw NoServer("no port is free") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
