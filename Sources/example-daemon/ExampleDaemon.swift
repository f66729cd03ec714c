// SPDX-License-Identifier: Apache-2.0
//
// example-daemon PORT DATABASE [URL]: a small TCP daemon that shows how a program uses Epitaph, and
// that can be made to crash. Port 0 lets the kernel choose; the port is printed. See `Request` for
// what it understands.

import Epitaph
import Glibc

@main
struct ExampleDaemon {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3, let port = UInt16(arguments[1]) else {
            say("usage: example-daemon PORT DATABASE [URL]")
            exit(64)
        }
        var configuration = Epitaph.Configuration(
            databasePath: arguments[2], bundleID: "org.example.daemon")
        configuration.annotations = ["prod": "example-daemon", "ver": "1.0"]
        configuration.destination = arguments.dropFirst(3).first
        configuration.onEarlierCrash = { crash in
            say("the last launch crashed: report \(crash.report.uuidString.lowercased())")
            for line in crash.lines { say("  \(line)") }
        }
        configuration.onCrashLoop = { loop in
            say("the last \(loop.crashCount) launches crashed soon after their start")
        }
        Epitaph.start(configuration)
        await tellOfLastLaunch()
        do {
            try await serve(port: port)
        } catch {
            say("example-daemon: \(error)")
            exit(1)
        }
    }

    private static func tellOfLastLaunch() async {
        switch await Epitaph.shared.lastSession(waitingSeconds: 60)?.run?.end {
        case .killed: say("the last launch was killed")
        case .lostToReboot: say("the last launch was lost when the machine was restarted")
        default: break
        }
    }

    private static func serve(port: UInt16) async throws {
        let listener = try Listener(port: port)
        let ledger = Ledger()
        let workers = WorkerPool(count: 4) { connection in
            Session(connection: connection, ledger: ledger).run()
        }
        Epitaph.shared.addBreadcrumb(
            "listening on port \(listener.port)", category: "network")
        say("listening on port \(listener.port)")
        while true {
            guard let connection = listener.accept() else { continue }
            workers.add(connection)
        }
    }
}

/// Prints a line at once: a daemon's output is usually a file or a pipe, for which print(_:)
/// buffers whole blocks.
func say(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}
