// SPDX-License-Identifier: Apache-2.0
//
// Program DATABASE: a daemon with the bridges of docs/bridges.md. It logs, answers three requests
// and is shut down. Prints the ids of the live reports made in two of the requests, how the third
// ended, and how many handled errors and events there are.

import Epitaph
import Hummingbird
import Logging
import ServiceLifecycle

struct Connection: RequestContext {
    let id: String
}

struct NotFound: HTTPResponseError {
    let status: HTTPResponse.Status = 404
}

struct LedgerIsGone: Error {}

@main struct Program {
    static func main() async throws {
        var configuration = Epitaph.Configuration(
            databasePath: CommandLine.arguments[1], bundleID: "org.example.bridges")
        configuration.heedsEnvironment = false
        configuration.capture.allowsDebugger = true
        configuration.parts.events = Epitaph.EventLogOptions()
        configuration.log = { print("log:", $0) }
        Epitaph.start(configuration)
        // Parts are started in the background.
        _ = await Epitaph.lastSession(waiting: .seconds(600))
        bootstrap()
        let group = ServiceGroup(EpitaphService())
        async let services: Void = group.run()
        while !group.serviceWaits { try await Task.sleep(for: .milliseconds(1)) }
        logLines()
        for id in ["r-1", "r-2"] { print(try await reportWithin(id)) }
        try await errorEvent(of: failures)
        group.triggerGracefulShutdown()
        try await services
        print(try await Epitaph.reportLiveDump())
        let errors = Epitaph.errors?.recent.map(\.error.type) ?? []
        print("errors: \(errors)")
        let status = Epitaph.events?.status
        print("unwritten: \((status?.recorded ?? 1) - (status?.written ?? 0))")
    }

    static func logLines() {
        var logger = Logger(label: "ledger")
        logger[metadataKey: "shard"] = "7"
        logger.log(
            level: .error, "a timeout", error: LedgerIsGone(),
            metadata: ["try": "3", "headers": ["Authorization": "Bearer abc", "accept": "json"]])
        logger.log(level: .debug, "not wanted")
    }

    /// - Returns: the id of a report that was made while a request was answered.
    static func reportWithin(_ id: String) async throws -> String {
        let request = Request(method: .get, path: "/ledger/\(id)")
        let middleware = EpitaphMiddleware<Connection>()
        var report = ""
        let response = try await middleware.handle(request, context: Connection(id: id)) { _, _ in
            report = try await "\(Epitaph.reportLiveDump())"
            return Response(status: 201)
        }
        guard response.status.code == 201 else { return "wrong status" }
        return report
    }

    /// Returns once `work` has led to the event of a handled error, which the thread that makes
    /// reports records.
    static func errorEvent(of work: () async -> Void) async throws {
        let (events, found) = AsyncStream.makeStream(of: Void.self)
        let subscription = Epitaph.events?.addObserver { event in
            if case .handledError = event.payload { found.yield() }
        }
        await work()
        for await _ in events { break }
        subscription?.cancel()
    }

    static func failures() async {
        let request = Request(method: .get, path: "/ledger/none")
        let middleware = EpitaphMiddleware<Connection>()
        for error: any Error in [NotFound(), LedgerIsGone()] {
            do {
                _ = try await middleware.handle(request, context: Connection(id: "r-3")) { _, _ in
                    throw error
                }
                print("no error")
            } catch {
                print("thrown: \(type(of: error))")
            }
        }
    }
}
