// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import Epitaph
import EpitaphDatabase
import EpitaphTestSupport
import Foundation
import Synchronization
import Testing

/// In the test process itself, so nothing here crashes.
@Suite(.serialized, .startsEpitaphHere) final class StartTests {
    private let directory: TemporaryDirectory
    private let log = Log()

    init() throws {
        directory = try TemporaryDirectory()
    }

    deinit {
        Epitaph.stop()
    }

    private func configuration(_ database: String = "db") -> Epitaph.Configuration {
        .init(here: directory.path(database), "org.example.start", log: log)
    }

    @Test("Started twice it is the same one, and another configuration is said and not used")
    func twice() throws {
        Epitaph.start(configuration())
        #expect(Epitaph.state == .running && Epitaph.isEnabled)
        #expect(Epitaph.start(configuration()) == .running)
        #expect(log.lines == [])
        var other = configuration("elsewhere")
        other.annotations = ["ver": "2"]
        #expect(Epitaph.start(other) == .running)
        #expect(
            log.lines == [
                "Epitaph has been started already; the other values of this start are not used: "
                    + "database, annotations"
            ])
        #expect(Epitaph.reporter?.databasePath == directory.path("db"))
        #expect(!FileManager.default.fileExists(atPath: directory.path("elsewhere")))
    }

    @Test("Started from many threads at once it runs once")
    func threads() throws {
        let configuration = configuration()
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            #expect(Epitaph.start(configuration) == .running)
        }
        #expect(log.lines == [])
        let files = try FileManager.default.contentsOfDirectory(
            atPath: directory.path("db/pending-dumps"))
        #expect(files.count == 1)
    }

    @Test("A start that fails says why, throws nothing, and can be repeated")
    func failure() throws {
        try directory.write([1], to: "file")
        Epitaph.start(configuration("file"))
        guard case .failed(let reason) = Epitaph.state else {
            Issue.record("\(Epitaph.state)")
            return
        }
        #expect(reason.contains(directory.path("file")))
        #expect(log.lines == ["crashes are not recorded: \(reason)"])
        #expect(!Epitaph.isEnabled && Epitaph.reporter == nil)
        Epitaph.note("nobody hears this")
        Epitaph["name"] = "value"
        #expect(Epitaph["name"] == nil)
        #expect(throws: Refusal.self) { try Epitaph.captureLiveDump() }
        Epitaph.isEnabled = true
        #expect(Epitaph.state == .failed(reason: reason))
        #expect(Epitaph.start(configuration()) == .running)
        Epitaph["name"] = "value"
        #expect(Epitaph["name"] as? Epitaph.Value == "value")
    }

    @Test("Values out of bounds are brought within them")
    func clamped() throws {
        var configuration = configuration()
        configuration.capture.breadcrumbLimit = -4
        #expect(Epitaph.start(configuration) == .running)
        Epitaph.stop()
        configuration.capture.breadcrumbLimit = 1 << 40
        #expect(Epitaph.start(configuration) == .running)
        for bytes in [-1, 1, 1 << 40] {
            Epitaph.stop()
            configuration.capture.breadcrumbFileBytes = bytes
            #expect(Epitaph.start(configuration) == .running)
        }
        configuration.sendFirstTime = .seconds(1e9)
        #expect(configuration.sendFirstTime == .seconds(60))
        configuration.sendFirstTime = .seconds(-1)
        #expect(configuration.sendFirstTime == .zero)
        configuration.crashLoop.crashCount = 0
        #expect(configuration.crashLoop.crashCount == 1)
        #expect(CrashLoopPolicy(earlyTime: .seconds(-1), crashCount: 5000).earlyTime == .seconds(1))
    }

    @Test("That crashes are not captured is remembered, and can be changed at run time")
    func enabling() throws {
        Epitaph.start(configuration())
        Epitaph.isEnabled = false
        #expect(Epitaph.state == .disabled && !Epitaph.isEnabled)
        Epitaph.stop()
        #expect(Epitaph.state == .stopped)
        try FileManager.default.removeItem(atPath: directory.path("db/pending-dumps"))

        Epitaph.start(configuration())
        #expect(Epitaph.state == .disabled && Epitaph.reporter == nil)
        // Nothing was made.
        #expect(!FileManager.default.fileExists(atPath: directory.path("db/pending-dumps")))

        Epitaph.isEnabled = true
        #expect(Epitaph.state == .running)
        Epitaph.stop()
        Epitaph.start(configuration())
        #expect(Epitaph.state == .running)
        #expect(log.lines == [])
    }

    @Test("A program that starts disabled and was never told otherwise stays so until it is told")
    func startsDisabled() throws {
        var configuration = configuration()
        configuration.isEnabled = false
        Epitaph.start(configuration)
        #expect(Epitaph.state == .disabled)
        #expect(!FileManager.default.fileExists(atPath: directory.path("db")))
        Epitaph.isEnabled = true
        #expect(Epitaph.state == .running)
        Epitaph.stop()
        #expect(Epitaph.start(configuration) == .running)
    }

    @Test("A choice that cannot be kept counts for the process, and the log says so")
    func choiceNotKept() throws {
        Epitaph.start(configuration())
        try directory.write([1], to: "db/programs")
        Epitaph.isEnabled = false
        #expect(Epitaph.state == .disabled)
        #expect(log.lines.count == 1)
        #expect(
            log.lines[0].hasPrefix("that crashes are not captured counts for this process only: "))
        #expect(log.lines[0].contains("db/programs"))
    }

    @Test("Test crashes are refused unless they are allowed")
    func testCrashes() throws {
        func refusal(_ crash: TestCrash) throws -> Refusal.Kind? {
            let refusal = #expect(throws: Refusal.self) {
                try Epitaph.generateTestCrash(crash)
            }
            return refusal?.kind
        }
        Epitaph.start(configuration())
        for crash in TestCrash.allCases { #expect(try refusal(crash) == .notAllowed) }
        #expect(epitaph_test_crash(EPITAPH_TEST_CRASH_ABORT, nil) == EPITAPH_INVALID_OPTION)
        Epitaph.stop()
        for crash in TestCrash.allCases { #expect(try refusal(crash) == .notStarted) }
        #expect(epitaph_test_crash(EPITAPH_TEST_CRASH_ABORT, nil) == EPITAPH_NOT_STARTED)
    }

    @Test("The log may call back in")
    func callingBack() throws {
        try directory.write([1], to: "file")
        var broken = configuration("file")
        let good = configuration()
        broken.log = { _ in Epitaph.start(good) }
        #expect(Epitaph.start(broken) == .running)
    }

    @Test("Parts that are not asked for are not there; events are kept and told")
    func parts() throws {
        Epitaph.start(configuration())
        #expect(Epitaph.events == nil && Epitaph.sessions == nil && Epitaph.metrics == nil)
        #expect(!Epitaph.record("nothing"))
        Epitaph.log(LogLine(.warning, "a breadcrumb"))
        Epitaph.scope(["request": "1"]) { Epitaph["n"] = 5 }
        #expect(Epitaph["n"] as? Epitaph.Value == 5)
        Epitaph.stop()

        var configuration = configuration()
        configuration.annotations = ["ver": "7"]
        configuration.parts.events = EventLogOptions()
        configuration.parts.sessions = SessionOptions()
        configuration.parts.metrics = MetricsOptions()
        Epitaph.start(configuration)
        let told = Log()
        Epitaph.events?.addObserver { event in
            told.add("\(event.type.rawValue) \(event.context.version ?? "")")
        }
        #expect(Epitaph.record("deployed", properties: ["host": "a"]))
        Epitaph.metrics?.counter("requests").increment()
        #expect(eventually { told.lines.contains("custom 7") })
        Epitaph.stop()
        #expect(Epitaph.events == nil)
        #expect(log.lines == [])
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path("db/events"))
        #expect(!files.isEmpty)
    }

    @Test("Dumps of earlier launches become reports in the background")
    func earlierDumps() throws {
        try FileManager.default.createDirectory(
            atPath: directory.path("db/pending-dumps"), withIntermediateDirectories: true)
        let id = Epitaph.ID().description
        try FileManager.default.copyItem(
            atPath: Products.fixture("intermediate-dumps/sample-x86_64.dump"),
            toPath: directory.path("db/pending-dumps/org.example.start@\(id)"))
        var configuration = configuration()
        configuration.processesEarlierDumps = true
        configuration.annotationsOfEarlierLaunches = ["role": "standby", "": "no name"]
        let told = Log()
        configuration.onEarlierCrash = { told.add($0.report.description) }
        configuration.onEarlierLaunches = { told.add("\($0.convertedReports.count)") }
        Epitaph.start(configuration)
        #expect(eventually { told.lines.count == 2 })
        #expect(told.lines == [id, "1"])
        #expect(
            log.lines == ["the annotation \"\" is not added: a name has 1 to 255 bytes"])
        let shown = try Subprocess.run([
            Products.executable("dump-convert"), "show", "--no-symbols",
            directory.path("db/pending/\(id).dmp"),
        ])
        #expect(shown.standardOutput.contains("\n  role = standby\n"))
    }
}

/// Lines from any thread.
final class Log: Sendable {
    private let content = Mutex<[String]>([])
    var lines: [String] { content.withLock { $0 } }
    func add(_ line: String) { content.withLock { $0.append(line) } }
}
