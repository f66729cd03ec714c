// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// Launches of the example daemon with one database, and a server that takes what they send.
final class DaemonLab {
    let directory: TemporaryDirectory
    let database: String
    let server: IntakeServer

    init() throws {
        directory = try TemporaryDirectory()
        database = directory.path("db")
        server = try IntakeServer()
    }

    /// Starts a launch, with what an operator would choose.
    func start(
        _ flags: [String] = [], environment: [String: String] = [:],
        running: ([String]) -> [String] = { $0 }
    ) throws -> Daemon {
        var variables = [
            "EPITAPH_UPLOADS": "yes", "EPITAPH_DESTINATION": server.reportsURL,
            "EPITAPH_EVENT_DESTINATION": server.eventsURL, "no_proxy": "127.0.0.1",
        ]
        variables.merge(environment) { $1 }
        return try Daemon(
            database: database, in: directory, flags: flags, environment: variables,
            running: running)
    }

    /// Ends a launch in order.
    func quit(_ daemon: Daemon) throws {
        #expect(try LineClient(port: daemon.port).ask("quit") == "")
        #expect(daemon.wait() == .exited(0))
    }

    func kill(_ daemon: Daemon) {
        Foundation.kill(daemon.processID, SIGKILL)
        #expect(daemon.wait() == .signalled(SIGKILL))
    }

    /// The reports that the server has, once there are so many: as text, and as JSON has them.
    func reports(_ count: Int) throws -> [Report] {
        let path = database + "/completed"
        func files() -> [String] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
            return names.filter { $0.hasSuffix(".dmp") }.sorted()
        }
        #expect(eventually(withinSeconds: 60) { files().count >= count }, "\(files())")
        #expect(server.reports.count == count && server.complaints == "")
        return try files().map { try Report("\(path)/\($0)") }
    }

    /// Waits until the server has an event whose payload has this.
    func expectEvent(
        _ type: String, _ member: String, _ value: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            eventually(withinSeconds: 60) { server.told(type, member).contains(value) },
            "\(server.told(type, member))", sourceLocation: sourceLocation)
    }
}

/// A report as dump-convert shows it.
struct Report {
    let id: String
    let text: String
    private let json: [String: Any]

    init(_ path: String) throws {
        id = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        text = try Self.show([path])
        json = try #require(
            try JSONSerialization.jsonObject(with: Data(try Self.show(["--json", path]).utf8))
                as? [String: Any])
    }

    private static func show(_ arguments: [String]) throws -> String {
        let shown = try Subprocess.run(
            [Products.executable("dump-convert"), "show"] + arguments, deadlineSeconds: 120)
        #expect(shown.ending == .exited(0), "\(shown.standardError)")
        return shown.standardOutput
    }

    var kind: String { json["kind"] as? String ?? "" }
    /// The first line: what died, and why.
    var headline: String { text.split(separator: "\n").first.map(String.init) ?? "" }
    var threads: [[String: Any]] { json["threads"] as? [[String: Any]] ?? [] }
    var breadcrumbs: [[String: Any]] { json["breadcrumbs"] as? [[String: Any]] ?? [] }

    func annotation(_ name: String) -> [String: Any]? {
        (json["annotations"] as? [[String: Any]])?.first { $0["name"] as? String == name }
    }

    func breadcrumb(_ message: String) -> [String: Any]? {
        breadcrumbs.first { $0["message"] as? String == message }
    }
}
