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
        do {
            let reporter = try CrashReporter(
                databasePath: arguments[2], bundleID: "org.example.daemon",
                annotations: ["prod": "example-daemon", "ver": "1.0"])
            await reportEarlierCrashes(reporter)
            if arguments.count > 3 { try reporter.startUploads(to: arguments[3]) }
            try await serve(port: port, reporter: reporter)
        } catch {
            say("example-daemon: \(error)")
            exit(1)
        }
    }

    private static func reportEarlierCrashes(_ reporter: CrashReporter) async {
        do {
            let summary = try await reporter.processIntermediateDumps { crash in
                say("the last launch crashed: report \(crash.report.uuidString.lowercased())")
                for line in crash.lines { say("  \(line)") }
            }
            switch summary.lastLaunches.first?.end {
            case .killed: say("the last launch was killed")
            case .lostToReboot: say("the last launch was lost when the machine was restarted")
            default: break
            }
        } catch {
            say("example-daemon: \(error)")
        }
    }

    private static func serve(port: UInt16, reporter: CrashReporter) async throws {
        let listener = try Listener(port: port)
        let ledger = Ledger()
        let workers = WorkerPool(count: 4) { connection in
            Session(connection: connection, ledger: ledger, reporter: reporter).run()
        }
        reporter.addBreadcrumb("listening on port \(listener.port)", category: "network")
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
