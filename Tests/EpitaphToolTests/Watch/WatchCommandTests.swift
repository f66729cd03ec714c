// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("dump-convert watch")
struct WatchCommandTests {
    private static let id = "11111111-2222-4333-8444-555555555555"

    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        mkdir(directory.path("dbs"), 0o755)
    }

    private func configure(_ lines: String) throws {
        // In one step: a service may be reading it.
        let beside = try directory.write(Array(lines.utf8), to: "beside")
        rename(beside, directory.path("conf"))
    }

    private func watch(_ environment: [String: String] = [:]) throws -> WatchedService {
        try WatchedService(configuration: directory.path("conf"), environment)
    }

    /// Leaves a dump as a handler does: whole, and then with its name.
    private func leaveDump(in database: String, id: String) throws {
        let pending = database + "/pending-dumps"
        try FileManager.default.createDirectory(
            atPath: pending, withIntermediateDirectories: true)
        let beside = pending + "/com.example.d@\(id).locked"
        try Data(Sample.dump()).write(to: URL(fileURLWithPath: beside))
        rename(beside, pending + "/com.example.d@\(id)")
    }

    private func reports(_ database: String, _ state: ReportState) -> Int {
        let opened = try? ReportDatabase(opening: database, ifMissing: .fail)
        return (try? opened?.reports(state).reports.count) ?? 0
    }

    private func newID() -> String { Epitaph.ID().description }

    @Test("Dumps of several databases become reports as they come, and SIGTERM ends it well")
    func converts() throws {
        try configure("[database \(directory.path("dbs/*"))]\nsweep_interval = 86400\n")
        let one = directory.path("dbs/one")
        try leaveDump(in: one, id: newID())
        let service = try watch()
        #expect(eventually { reports(one, .pending) == 1 })
        // A dump that comes, and a database that comes.
        try leaveDump(in: one, id: newID())
        #expect(eventually { reports(one, .pending) == 2 })
        let two = directory.path("dbs/two")
        try leaveDump(in: two, id: Self.id)
        #expect(eventually(withinSeconds: 60) { reports(two, .pending) == 1 })
        let ended = try service.end()
        #expect(ended.ending == .exited(0))
        #expect(ended.log.contains("(report \(Self.id))"))
        #expect(ended.log.contains("<5>orderd[4711] crashed with SIGSEGV"))
        #expect(ended.log.hasSuffix("<6>stopped\n"))
    }

    @Test(
        "A database that goes and comes again is watched again; what a pattern finds and is none is left alone"
    )
    func vanishes() throws {
        try configure(
            "[database \(directory.path("dbs/*"))]\n[database \(directory.path("named"))]\n")
        let one = directory.path("dbs/one")
        try leaveDump(in: one, id: newID())
        mkdir(directory.path("dbs/other"), 0o755)
        try directory.write([1], to: "dbs/other/file")
        mkdir(directory.path("dbs/empty"), 0o755)
        let service = try watch()
        #expect(eventually { reports(one, .pending) == 1 })
        rename(one, directory.path("away"))
        try leaveDump(in: one, id: newID())
        #expect(eventually(withinSeconds: 60) { reports(one, .pending) == 1 })
        try leaveDump(in: directory.path("named"), id: newID())
        #expect(eventually(withinSeconds: 60) { reports(directory.path("named"), .pending) == 1 })
        let ended = try service.end()
        #expect(
            try FileManager.default.contentsOfDirectory(
                atPath: directory.path("dbs/other")) == ["file"])
        #expect(
            try FileManager.default.contentsOfDirectory(
                atPath: directory.path("dbs/empty")) == [])
        #expect(ended.log.components(separatedBy: "cannot open the database").count == 2)
    }

    @Test("Reports are sent where that is allowed, and a server that stalls holds up nothing else")
    func sends() throws {
        let stalling = try TestServer.collector("stall")
        let good = try TestServer.collector("ok")
        let key = try directory.write(Array("submit\n".utf8), to: "key")
        chmod(key, 0o600)
        let url = good.url
        try configure(
            """
            [database \(directory.path("dbs/*"))]
            uploads = yes
            destination = \(url)?token={key}
            key_file = \(key)
            [database \(directory.path("dbs/slow"))]
            destination = \(stalling.url)
            key_file = none
            [database \(directory.path("dbs/kept"))]
            uploads = ask
            """)
        let (slow, quick, kept) = (
            directory.path("dbs/slow"), directory.path("dbs/quick"), directory.path("dbs/kept")
        )
        for database in [slow, quick, kept] { try leaveDump(in: database, id: newID()) }
        let service = try watch()
        #expect(eventually(withinSeconds: 60) { reports(quick, .completed) == 1 })
        #expect(eventually { reports(kept, .pending) == 1 })
        // The stalled database goes on converting.
        #expect(eventually { reports(slow, .pending) == 1 })
        try leaveDump(in: slow, id: newID())
        #expect(eventually { reports(slow, .pending) == 2 })
        let ended = try service.end()
        #expect(ended.ending == .exited(0))
        #expect(reports(kept, .pending) == 1)
        #expect(!ended.log.contains("token=submit"))
        #expect(try good.head(0).contains("token=submit"))
    }

    @Test(
        "What an attachment may take is said once, and counts when it is copied and when it is sent"
    )
    func attachmentLimit() throws {
        let server = try IntakeServer()
        let one = directory.path("dbs/one")
        let large = try directory.write([UInt8](repeating: 0xff, count: 8 << 20), to: "large.bin")
        let huge = try directory.write([UInt8](repeating: 0xff, count: 10 << 20), to: "huge.bin")
        try FileManager.default.createDirectory(
            atPath: one + "/launches", withIntermediateDirectories: true)
        let files = [large, huge].map { path in
            #"{"path":"\#(path)","name":"\#(URL(fileURLWithPath: path).lastPathComponent)"}"#
        }
        try #"{"version":1,"limit_bytes":1073741824,"files":[\#(files.joined(separator: ","))]}"#
            .write(
                toFile: one + "/launches/com.example.d@attachments.json", atomically: true,
                encoding: .utf8)
        try configure(
            """
            [database \(one)]
            uploads = yes
            destination = \(server.reportsURL)
            max_attachment = 9 MiB
            """)
        try leaveDump(in: one, id: Self.id)
        let service = try watch()
        #expect(eventually(withinSeconds: 60) { server.reports.count == 1 })
        let sent = server.reports.first?.files
        #expect(sent?["large.bin"] as? Int == 8 << 20 && sent?["huge.bin"] == nil, "\(sent ?? [:])")
        #expect(try service.end().log.contains("huge.bin"))
    }

    @Test("A configuration that cannot be used is named at a reload, and the earlier one stays")
    func reload() throws {
        let manager = try DatagramCollector()
        let one = directory.path("dbs/one")
        try configure("[database \(one)]\n")
        let service = try watch(["NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "200000"])
        #expect(try manager.message(with: "READY=1") != nil)
        #expect(try manager.message(with: "WATCHDOG=1") != nil)
        try configure("[database \(directory.path("dbs/two"))]\nmax_report = 1\n")
        service.signal(SIGHUP)
        #expect(try manager.message(with: "RELOADING=1") != nil)
        #expect(try manager.message(with: "configuration refused") != nil)
        try leaveDump(in: one, id: newID())
        #expect(eventually(withinSeconds: 60) { reports(one, .pending) == 1 })
        let two = directory.path("dbs/two")
        try configure("[database \(two)]\nannotation.rack = 12\n")
        service.signal(SIGHUP)
        try leaveDump(in: two, id: newID())
        #expect(eventually(withinSeconds: 60) { reports(two, .pending) == 1 })
        let ended = try service.end()
        #expect(try manager.message(with: "STOPPING=1") != nil)
        #expect(ended.ending == .exited(0))
        let path = directory.path("conf")
        #expect(ended.log.contains("<3>\(path):2: there is no key \"max_report\""))
        #expect(ended.log.contains("the earlier one stays in force"))
    }

    @Test("A configuration with an error is no beginning")
    func badStart() throws {
        try configure("max_report = 1\n")
        let result = try dumpConvert("watch", "--config", directory.path("conf"))
        result.expectFailure(1, saying: "\(directory.path("conf")):1: there is no key")
    }

    @Test("--once does everything once and says by its status whether something failed")
    func once() throws {
        let good = try TestServer.collector("ok")
        let one = directory.path("dbs/one")
        let metrics = directory.path("epitaph.prom")
        try configure(
            """
            metrics_file = \(metrics)
            destination = \(good.url)
            uploads = yes
            [database \(one)]
            """)
        let missing = try dumpConvert("watch", "--once", "--config", directory.path("conf"))
        missing.expectFailure(1, saying: "cannot open the database")
        try leaveDump(in: one, id: newID())
        for _ in 0..<2 {
            let result = try dumpConvert("watch", "--once", "--config", directory.path("conf"))
            #expect(result.exitStatus == 0, "\(result.standardError)")
        }
        #expect(reports(one, .completed) == 1)
        let text = try String(contentsOfFile: metrics, encoding: .utf8)
        #expect(text.contains("\nepitaph_service_up 1\n"))
        #expect(text.contains("epitaph_reports_sent_total{database=\"\(one)\"} 1\n"))
        #expect(text.contains("bundle_id=\"com.example.d\",kind=\"crash\"} 1\n"))
        let crashes = text.split(separator: "\n").filter { $0.hasPrefix("epitaph_crashes_total{") }
        #expect(crashes.count == 1 && crashes[0].hasSuffix("} 1"))
    }

    @Test("Crashes that another process filed are counted before their reports are removed")
    func countedBeforeRemoval() throws {
        let one = directory.path("dbs/one")
        let metrics = directory.path("epitaph.prom")
        try configure("metrics_file = \(metrics)\nmax_reports = 1\n[database \(one)]\n")
        func counted() throws -> [Substring] {
            let text = try String(contentsOfFile: metrics, encoding: .utf8)
            return text.split(separator: "\n").filter { $0.hasPrefix("epitaph_crashes_total{") }
        }
        for _ in 0..<3 { try leaveDump(in: one, id: newID()) }
        #expect(try dumpConvert("process", "--database", one).exitStatus == 0)
        #expect(
            try dumpConvert("watch", "--once", "--config", directory.path("conf")).exitStatus == 0)
        #expect(reports(one, .pending) == 1)
        #expect(try counted().map { $0.suffix(3) } == ["} 3"])
        for _ in 0..<2 { try leaveDump(in: one, id: newID()) }
        let process = try dumpConvert("process", "--database", one, "--max-count", "1")
        #expect(process.exitStatus == 0, "\(process.standardError)")
        #expect(
            try dumpConvert("watch", "--once", "--config", directory.path("conf")).exitStatus == 0)
        #expect(try counted().map { $0.suffix(3) } == ["} 5"])
    }

    @Test("A dump that cannot be converted is said once, and others are not held up")
    func failing() throws {
        let one = directory.path("dbs/one")
        try configure("[database \(one)]\n")
        try leaveDump(in: one, id: newID())
        let bad = newID()
        try Data("no dump".utf8).write(
            to: URL(fileURLWithPath: one + "/pending-dumps/com.example.d@\(bad)"))
        let service = try watch()
        #expect(eventually { reports(one, .pending) == 1 })
        try leaveDump(in: one, id: newID())
        #expect(eventually { reports(one, .pending) == 2 })
        let ended = try service.end()
        #expect(ended.log.contains(bad))
        #expect(ended.log.split(separator: "\n").count { $0.hasPrefix("<3>") } <= 2)
    }

    @Test("Where the kernel has no watch left, dumps are found by looking, and that is said once")
    func polling() throws {
        let one = directory.path("dbs/one")
        try configure("[database \(one)]\n")
        try leaveDump(in: one, id: newID())
        // A user namespace has limits of its own, namespaces(7).
        let service = try WatchedService(
            configuration: directory.path("conf"), [:],
            through: [
                "unshare", "-Ur", "bash", "-c",
                "echo 0 > /proc/sys/user/max_inotify_instances || exit 77; exec \"$@\"", "bash",
            ])
        guard eventually({ reports(one, .pending) == 1 || service.hasEnded }), !service.hasEnded
        else { return }
        try leaveDump(in: one, id: newID())
        #expect(eventually(withinSeconds: 60) { reports(one, .pending) == 2 })
        let ended = try service.end()
        #expect(
            ended.log.components(separatedBy: "the kernel cannot watch").count == 2)
    }
}

/// `dump-convert watch` in the background.
final class WatchedService {
    private let outputs: TemporaryDirectory
    private let processID: Int32
    private var ended: Subprocess.Ending?

    init(
        configuration: String, _ environment: [String: String], through command: [String] = []
    ) throws {
        outputs = try TemporaryDirectory()
        var variables = [
            "no_proxy": "*", "JOURNAL_STREAM": "", "NOTIFY_SOCKET": "", "WATCHDOG_USEC": "",
        ]
        variables.merge(environment) { $1 }
        processID = try Subprocess.spawn(
            command + [
                Products.executable("dump-convert"), "watch", "--config", configuration,
            ], environment: variables, error: outputs.path("log"))
    }

    deinit {
        guard ended == nil else { return }
        kill(processID, SIGKILL)
        _ = Subprocess.wait(for: processID, deadlineSeconds: 20)
    }

    func signal(_ number: Int32) { kill(processID, number) }

    /// Whether it has ended without being asked.
    var hasEnded: Bool {
        var status = siginfo_t()
        return waitid(P_PID, id_t(processID), &status, WEXITED | WNOHANG | WNOWAIT) == 0
            && status.si_signo == SIGCHLD
    }

    /// Asks it to end.
    func end() throws -> (ending: Subprocess.Ending, log: String) {
        kill(processID, SIGTERM)
        let ending = Subprocess.wait(for: processID, deadlineSeconds: 60)
        ended = ending
        return (ending, String(decoding: try outputs.contents("log"), as: UTF8.self))
    }
}
