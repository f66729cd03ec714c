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
        Epitaph.shared.stop()
    }

    private func configuration(_ database: String = "db") -> Epitaph.Configuration {
        .init(here: directory.path(database), "org.example.start", log: log)
    }

    @Test("Started twice it is the same one, and another configuration is said and not used")
    func twice() throws {
        let first = Epitaph.start(configuration())
        #expect(first.state == .running && first.isEnabled)
        #expect(Epitaph.start(configuration()) === first)
        #expect(log.lines == [])
        var other = configuration("elsewhere")
        other.annotations = ["ver": "2"]
        #expect(Epitaph.start(other) === Epitaph.shared)
        #expect(
            log.lines == [
                "Epitaph has been started already; the other values of this start are not used: "
                    + "database, annotations"
            ])
        #expect(Epitaph.shared.reporter?.databasePath == directory.path("db"))
        #expect(!FileManager.default.fileExists(atPath: directory.path("elsewhere")))
    }

    @Test("Started from many threads at once it runs once")
    func threads() throws {
        let configuration = configuration()
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            #expect(Epitaph.start(configuration).state == .running)
        }
        #expect(log.lines == [])
        let files = try FileManager.default.contentsOfDirectory(
            atPath: directory.path("db/pending-dumps"))
        #expect(files.count == 1)
    }

    @Test("A start that fails says why, throws nothing, and can be repeated")
    func failure() throws {
        try directory.write([1], to: "file")
        let epitaph = Epitaph.start(configuration("file"))
        guard case .failed(let reason) = epitaph.state else {
            Issue.record("\(epitaph.state)")
            return
        }
        #expect(reason.contains(directory.path("file")))
        #expect(log.lines == ["crashes are not recorded: \(reason)"])
        #expect(!epitaph.isEnabled && epitaph.reporter == nil)
        epitaph.addBreadcrumb("nobody hears this")
        #expect(!epitaph.setAnnotation("name", to: "value"))
        #expect(throws: LiveDumpError.self) { try epitaph.captureLiveDump() }
        epitaph.isEnabled = true
        #expect(epitaph.state == .failed(reason: reason))
        #expect(Epitaph.start(configuration()).state == .running)
        #expect(epitaph.setAnnotation("name", to: "value"))
    }

    @Test("Values out of bounds are brought within them")
    func clamped() throws {
        var configuration = configuration()
        configuration.capture.breadcrumbLimit = -4
        #expect(Epitaph.start(configuration).state == .running)
        Epitaph.shared.stop()
        configuration.capture.breadcrumbLimit = 1 << 40
        #expect(Epitaph.start(configuration).state == .running)
        for bytes in [-1, 1, 1 << 40] {
            Epitaph.shared.stop()
            configuration.capture.breadcrumbFileBytes = bytes
            #expect(Epitaph.start(configuration).state == .running)
        }
        configuration.sendFirstSeconds = 1e9
        #expect(configuration.sendFirstSeconds == 60)
        configuration.sendFirstSeconds = .nan
        #expect(configuration.sendFirstSeconds == 0)
        configuration.crashLoop.crashCount = 0
        #expect(configuration.crashLoop.crashCount == 1)
        #expect(CrashLoopPolicy(earlySeconds: -1, crashCount: 5000).earlySeconds == 1)
    }

    @Test("That crashes are not captured is remembered, and can be changed at run time")
    func enabling() throws {
        let epitaph = Epitaph.start(configuration())
        epitaph.isEnabled = false
        #expect(epitaph.state == .disabled && !epitaph.isEnabled)
        epitaph.stop()
        #expect(epitaph.state == .stopped)
        try FileManager.default.removeItem(atPath: directory.path("db/pending-dumps"))

        Epitaph.start(configuration())
        #expect(epitaph.state == .disabled && epitaph.reporter == nil)
        // Nothing was made.
        #expect(!FileManager.default.fileExists(atPath: directory.path("db/pending-dumps")))

        epitaph.isEnabled = true
        #expect(epitaph.state == .running)
        epitaph.stop()
        Epitaph.start(configuration())
        #expect(epitaph.state == .running)
        #expect(log.lines == [])
    }

    @Test("A program that starts disabled and was never told otherwise stays so until it is told")
    func startsDisabled() throws {
        var configuration = configuration()
        configuration.isEnabled = false
        let epitaph = Epitaph.start(configuration)
        #expect(epitaph.state == .disabled)
        #expect(!FileManager.default.fileExists(atPath: directory.path("db")))
        epitaph.isEnabled = true
        #expect(epitaph.state == .running)
        epitaph.stop()
        #expect(Epitaph.start(configuration).state == .running)
    }

    @Test("A choice that cannot be kept counts for the process, and the log says so")
    func choiceNotKept() throws {
        let epitaph = Epitaph.start(configuration())
        try directory.write([1], to: "db/programs")
        epitaph.isEnabled = false
        #expect(epitaph.state == .disabled)
        #expect(log.lines.count == 1)
        #expect(
            log.lines[0].hasPrefix("that crashes are not captured counts for this process only: "))
        #expect(log.lines[0].contains("db/programs"))
    }

    @Test("Test crashes are refused unless they are allowed")
    func testCrashes() throws {
        func refusal(_ crash: TestCrash) throws -> TestCrashRefusal.Kind? {
            let refusal = #expect(throws: TestCrashRefusal.self) {
                try Epitaph.shared.generateTestCrash(crash)
            }
            return refusal?.kind
        }
        Epitaph.start(configuration())
        for crash in TestCrash.allCases { #expect(try refusal(crash) == .notAllowed) }
        #expect(epitaph_test_crash(EPITAPH_TEST_CRASH_ABORT, nil) == EPITAPH_INVALID_OPTION)
        Epitaph.shared.stop()
        for crash in TestCrash.allCases { #expect(try refusal(crash) == .notStarted) }
        #expect(epitaph_test_crash(EPITAPH_TEST_CRASH_ABORT, nil) == EPITAPH_NOT_STARTED)
    }

    @Test("The log may call back in")
    func callingBack() throws {
        try directory.write([1], to: "file")
        var broken = configuration("file")
        let good = configuration()
        broken.log = { _ in Epitaph.start(good) }
        #expect(Epitaph.start(broken).state == .running)
    }

    @Test("Parts that are not asked for are not there; events are kept and told")
    func parts() throws {
        let epitaph = Epitaph.start(configuration())
        #expect(epitaph.events == nil && epitaph.sessions == nil && epitaph.metrics == nil)
        #expect(!epitaph.record("nothing"))
        epitaph.log(LogLine(.warning, "a breadcrumb"))
        #expect(epitaph.withScope(["request": "1"]) { epitaph.setAttribute("n", to: 5) })
        epitaph.stop()

        var configuration = configuration()
        configuration.annotations = ["ver": "7"]
        configuration.parts.events = EventLogOptions()
        configuration.parts.sessions = SessionOptions()
        configuration.parts.metrics = MetricsOptions()
        Epitaph.start(configuration)
        let told = Log()
        epitaph.events?.addObserver { event in
            told.add("\(event.type.rawValue) \(event.context.version ?? "")")
        }
        #expect(epitaph.record("deployed", properties: ["host": "a"]))
        epitaph.metrics?.counter("requests").increment()
        #expect(eventually { told.lines.contains("custom 7") })
        epitaph.stop()
        #expect(epitaph.events == nil)
        #expect(log.lines == [])
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path("db/events"))
        #expect(!files.isEmpty)
    }

    @Test("Dumps of earlier launches become reports in the background")
    func earlierDumps() throws {
        try FileManager.default.createDirectory(
            atPath: directory.path("db/pending-dumps"), withIntermediateDirectories: true)
        let id = UUID().uuidString.lowercased()
        try FileManager.default.copyItem(
            atPath: Products.fixture("intermediate-dumps/sample-x86_64.dump"),
            toPath: directory.path("db/pending-dumps/org.example.start@\(id)"))
        var configuration = configuration()
        configuration.processesEarlierDumps = true
        configuration.annotationsOfEarlierLaunches = ["role": "standby", "": "no name"]
        let told = Log()
        configuration.onEarlierCrash = { told.add($0.report.uuidString.lowercased()) }
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
