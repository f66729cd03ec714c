// SPDX-License-Identifier: Apache-2.0

import Epitaph
import Glibc

/// The requests of a client, one on each line: `add NAME AMOUNT`, `total`, `note NAME VALUE` (an
/// annotation), `crash WAY`, `quit`.
enum Request {
    case add(name: String, amount: Int)
    case total
    case note(name: String, value: String)
    case crash(CrashWay)
    case quit

    init?(line: String) {
        let words = line.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("add", 3):
            guard let amount = Int(words[2]) else { return nil }
            self = .add(name: words[1], amount: amount)
        case ("total", 1): self = .total
        case ("note", 3): self = .note(name: words[1], value: words[2])
        case ("crash", 2):
            guard let way = CrashWay(rawValue: words[1]) else { return nil }
            self = .crash(way)
        case ("quit", 1): self = .quit
        default: return nil
        }
    }
}

/// Serves one client on the calling thread.
struct Session: Sendable {
    let connection: Connection
    let ledger: Ledger
    let reporter: CrashReporter

    func run() {
        defer { connection.close() }
        while let line = connection.readLine() {
            reporter.addBreadcrumb(line, category: "request")
            guard let request = Request(line: line) else {
                reporter.addBreadcrumb("not understood", level: .warning, category: "request")
                connection.send("what? add NAME AMOUNT, total, note NAME VALUE, crash WAY, quit")
                continue
            }
            guard answer(request) else { return }
        }
    }

    /// False if the client wants to end the session.
    private func answer(_ request: Request) -> Bool {
        switch request {
        case .add(let name, let amount):
            answerLater { "\(await ledger.add(amount, to: name))" }
        case .total:
            answerLater { "\(await ledger.total())" }
        case .note(let name, let value):
            do {
                try reporter.setAnnotation(name, to: value)
                connection.send("noted")
            } catch {
                connection.send("\(error)")
            }
        case .crash(.inTask):
            answerLater { await crashInTask() }
        case .crash(let way):
            crash(way)
        case .quit:
            reporter.stop()
            exit(0)
        }
        return true
    }

    private func answerLater(_ work: @escaping @Sendable () async -> String) {
        Task { connection.send(await work()) }
    }
}
