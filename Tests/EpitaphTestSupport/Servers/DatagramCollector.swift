// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A service of this machine that takes datagrams, as the journal and the manager of services do,
/// and keeps them. It runs until this object goes.
package final class DatagramCollector {
    /// A datagram as it came.
    package struct Message: Equatable, Sendable {
        package let bytes: [UInt8]
        /// Whether the bytes came as a descriptor of a file in memory that nobody can change.
        package let isSealedFile: Bool

        package var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// What clients connect to: a path, or `@` and an abstract name.
    package let address: String
    private let directory = Result { try TemporaryDirectory() }
    private let processID: Int32

    /// - Parameter address: nil for a path of its own.
    package init(at address: String? = nil) throws {
        let directory = try directory.get()
        self.address = address ?? directory.path("socket")
        let script = """
            import fcntl, os, signal, socket, sys
            signal.alarm(300)
            address, place = sys.argv[1:]
            server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            server.bind("\\0" + address[1:] if address[0] == "@" else address)
            open(place + "/ready", "w").close()
            number = 0
            while True:
                data, files, _, _ = socket.recv_fds(server, 1 << 20, 1)
                ending = ".plain"
                if files:
                    # F_GET_SEALS, and the seals against writing, growing, shrinking and more seals.
                    sealed = fcntl.fcntl(files[0], 1034) == 15
                    ending = ".sealed" if sealed and not data else ".unsealed"
                    data = os.pread(files[0], 1 << 26, 0)
                    os.close(files[0])
                with open(place + "/part", "wb") as file:
                    file.write(data)
                os.rename(place + "/part", f"{place}/{number:04}{ending}")
                number += 1
            """
        processID = try Subprocess.spawn(["python3", "-c", script, self.address, directory.path])
        guard eventually({ FileManager.default.fileExists(atPath: directory.path("ready")) }) else {
            throw LaunchError(program: "python3", errorNumber: ETIMEDOUT)
        }
    }

    deinit {
        kill(processID, SIGKILL)
        _ = Subprocess.wait(for: processID, deadlineSeconds: 20)
    }

    /// What has come so far, in its order.
    package func messages() throws -> [Message] {
        let directory = try directory.get()
        return try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { $0.hasSuffix(".plain") || $0.hasSuffix("sealed") }.sorted().map { name in
                Message(
                    bytes: try directory.contents(name), isSealedFile: name.hasSuffix(".sealed"))
            }
    }

    /// The first message that has this text in it, as soon as there is one.
    package func message(with text: String) throws -> Message? {
        var found: Message?
        _ = try eventually {
            found = try messages().first { $0.text.contains(text) }
            return found != nil
        }
        return found
    }
}
