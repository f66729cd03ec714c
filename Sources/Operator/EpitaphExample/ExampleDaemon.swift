// SPDX-License-Identifier: Apache-2.0
//
// example-daemon PORT DATABASE [URL] [--leaves-sigterm]: a small TCP daemon that shows how a
// program uses Epitaph, and can be made to crash, hang or run out of memory. Port 0 lets the kernel
// choose; the port is printed. `Request` lists its requests; Reporting.swift configures Epitaph.
// With --leaves-sigterm SIGTERM kills it without an orderly end.

import Epitaph
import Glibc

@main
struct ExampleDaemon {
    static func main() {
        guard let arguments = Arguments(CommandLine.arguments) else {
            say("usage: example-daemon PORT DATABASE [URL] [--leaves-sigterm]")
            exit(64)
        }
        // Before any threads, which inherit the mask. An async main would not do: its first thread
        // only waits, with no signal blocked.
        if !arguments.leavesSIGTERM { StopRequest.block() }
        let journal = Journal(path: arguments.databasePath + ".journal")
        Epitaph.start(Epitaph.Configuration(for: arguments, journal))
        let services = Services(arguments, journal)
        services.watchItself()
        if !arguments.leavesSIGTERM {
            StopRequest.wait { services.stop("SIGTERM", signal: .sigterm) }
        }
        LastLaunch.tell()
        do {
            try serve(port: arguments.port, services)
        } catch {
            say("example-daemon: \(error)")
            exit(1)
        }
    }

    private static func serve(port: UInt16, _ services: Services) throws {
        let listener = try Listener(port: port)
        let workers = WorkerPool(count: 4) { connection in
            Session(connection: connection, services: services).run()
        }
        services.ready(onPort: listener.port)
        say("listening on port \(listener.port)")
        var connectionCount: Int64 = 0
        while true {
            guard let connection = listener.accept() else { continue }
            connectionCount += 1
            // In every report from now on, with its type.
            Epitaph["connections"] = connectionCount
            workers.add(connection)
        }
    }
}

struct Arguments {
    let port: UInt16
    let databasePath: String
    let url: String?
    let leavesSIGTERM: Bool

    init?(_ words: [String]) {
        let plain = words.dropFirst().filter { !$0.hasPrefix("--") }
        leavesSIGTERM = words.contains("--leaves-sigterm")
        guard plain.count >= 2, let port = UInt16(plain[0]) else { return nil }
        self.port = port
        databasePath = plain[1]
        url = plain.dropFirst(2).first
    }
}

/// At once: output is usually a file or a pipe, for which print(_:) buffers whole blocks.
func say(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}
