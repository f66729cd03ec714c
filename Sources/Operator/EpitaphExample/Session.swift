// SPDX-License-Identifier: Apache-2.0

import Epitaph
import Synchronization

struct Session: Sendable {
    let connection: Connection
    let services: Services
    private static let requestCount = Atomic<Int64>(0)

    func run() {
        defer { connection.close() }
        while let line = connection.readLine() {
            let number = Self.requestCount.add(1, ordering: .relaxed).newValue
            Epitaph.sessions?.noteActivity()
            services.served?.increment()
            // Breadcrumbs and crashes in here belong to this request, however many run at once.
            Epitaph.scope(["request": number]) { serve(line) }
        }
    }

    private func serve(_ line: String) {
        Epitaph.note(
            line, category: "request", attributes: ["bytes": line.utf8.count])
        services.journal.write(.info, tag: "request", line)
        guard let request = Request(line: line) else {
            Epitaph.note("not understood", .warning, category: "request")
            connection.send("what? \(Request.words)")
            return
        }
        guard let answering = services.answering else { return answer(request) }
        answering.measure { answer(request) }
    }

    private func answer(_ request: Request) {
        switch request {
        case .add(let name, let amount):
            answerLater { "\(await services.ledger.add(amount, to: name))" }
        case .take(let name, let amount):
            answerLater { await take(amount, from: name) }
        case .total:
            answerLater { "\(await services.ledger.total())" }
        case .note(let name, let value):
            Epitaph[name] = value
            connection.send(Epitaph[name] != nil ? "noted" : "there is no room for it")
        case .user(let name):
            Epitaph.sessions?.setUser(Context.User(id: name))
            connection.send("hello")
        case .set(let name, let value):
            connection.send(services.settings.set(name, to: value) ?? "set")
        case .status: connection.send(Self.eventStatus)
        default: answerTrouble(request)
        }
    }

    private func answerTrouble(_ request: Request) {
        switch request {
        case .hang:
            services.importer.begin()
            connection.send("hanging")
        case .recover:
            services.importer.finish()
            connection.send("going on")
        case .eat: MemoryEater.begin(connection.send)
        case .crash(.inTask): answerLater { await crashInTask() }
        case .crash(let way): crash(way)
        case .testCrash(let crash):
            do {
                try Epitaph.generateTestCrash(crash)
            } catch {
                connection.send("\(error)")
            }
        default: services.stop("a client")
        }
    }

    private func take(_ amount: Int, from name: String) async -> String {
        do {
            return "\(try await services.ledger.take(amount, from: name))"
        } catch {
            services.journal.write(.error, tag: "ledger", "\(error)")
            let report = Epitaph.report(
                error, properties: ["ledger": name],
                attachments: [.text(services.settings.summary, name: "settings.txt")])
            return report.map { "reported \($0.description)" } ?? "counted"
        }
    }

    private func answerLater(_ work: @escaping @Sendable () async -> String) {
        Task { connection.send(await work()) }
    }

    private static var eventStatus: String {
        guard let status = Epitaph.events?.status else { return "no events" }
        return "recorded \(status.recorded), written \(status.written), sent \(status.sent), "
            + "dropped \(status.drops.total)"
    }
}
