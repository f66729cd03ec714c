// SPDX-License-Identifier: Apache-2.0

import Epitaph
import EpitaphStorageInspection
import EpitaphTestSupport
import Foundation
import Testing

/// In the test process itself, so nothing here crashes or hangs.
@Suite(.startsEpitaphHere) final class WatchesAndErrorsTests {
    private let directory: TemporaryDirectory
    private let log = Log()

    init() throws {
        directory = try TemporaryDirectory()
    }

    deinit {
        Epitaph.stop()
    }

    private func configuration() -> Epitaph.Configuration {
        var configuration = Epitaph.Configuration(
            here: directory.path("db"), "org.example.parts", log: log)
        configuration.parts.events = EventLogOptions()
        return configuration
    }

    private struct LedgerError: Error {}

    @Test("A handled error is a report and an event, and neither where Epitaph does not run")
    func handledErrors() throws {
        #expect(Epitaph.report(LedgerError()) == nil)
        Epitaph.start(configuration())
        let told = Log()
        Epitaph.events?.addObserver { event in
            guard case .handledError(let details) = event.payload else { return }
            told.add("\(details.errorType) \(details.reportID?.description ?? "")")
        }
        let id = try #require(Epitaph.report(LedgerError(), properties: ["ledger": "7"]))
        let name = id.description
        let type = String(reflecting: LedgerError.self)
        #expect(eventually { told.lines == ["\(type) \(name)"] }, "\(told.lines)")
        let report = directory.path("db/pending/\(name).dmp")
        #expect(eventually { FileManager.default.fileExists(atPath: report) })
        let shown = try Subprocess.run([
            Products.executable("dump-convert"), "show", "--no-symbols", report,
        ])
        #expect(shown.standardOutput.contains("LedgerError"), "\(shown.standardOutput)")
        #expect(Epitaph.errors?.recent.map(\.id) == [id])
        #expect(log.lines == [])
    }

    @Test("A change of a key-value store becomes an event by itself, with its number")
    func storage() throws {
        Epitaph.start(configuration())
        let told = Log()
        Epitaph.events?.addObserver { event in
            guard case .storageChanged(let details) = event.payload else { return }
            told.add(
                "\(details.store) \(details.item ?? "") \(details.change) \(event.sequence > 0)")
        }
        let settings = directory.path("settings")
        try FileManager.default.createDirectory(
            atPath: settings, withIntermediateDirectories: true)
        let watch = try Epitaph.DirectoryStoreWatch(
            Epitaph.DirectoryStore(settings, name: "settings")
        ) { Epitaph.record($0) }
        let written = try directory.write(Array("blue".utf8), to: "colour")
        try FileManager.default.moveItem(atPath: written, toPath: settings + "/colour")
        #expect(eventually { told.lines == ["settings colour added true"] }, "\(told.lines)")
        withExtendedLifetime(watch) {}
    }

    @Test("A handler that took the place of Epitaph's is in the log once, with its signal")
    func displaced() throws {
        var configuration = configuration()
        configuration.capture.virtualSignalActions = false
        Epitaph.start(configuration)
        defer { signal(SIGUSR2, SIG_DFL) }
        signal(SIGUSR2) { _ in }
        let ids = [Epitaph.report(LedgerError()), Epitaph.report(message: "another ledger")]
        for id in ids {
            let report = directory.path("db/pending/\(try #require(id).description).dmp")
            #expect(eventually { FileManager.default.fileExists(atPath: report) })
        }
        Epitaph.stop()
        let said = "another handler has taken the place of Epitaph's for SIGUSR2: "
        #expect(log.lines.count == 1 && log.lines.first?.hasPrefix(said) == true, "\(log.lines)")
    }

    @Test("Watches that are asked for run until the stop, and what they see is an event")
    func watches() throws {
        var configuration = configuration()
        var hangs = HangOptions()
        // The main queue of the test process is not ours to judge.
        hangs.watchesMainQueue = false
        configuration.parts.hangs = hangs
        configuration.parts.memory = MemoryOptions()
        configuration.parts.systemEvents = SystemEventOptions()
        Epitaph.start(configuration)
        // At once: the program's next line may note something.
        let told = Log()
        Epitaph.events?.addObserver { told.add($0.type.rawValue) }
        let system = try #require(Epitaph.systemEvents)
        system.note(SystemEvent(.clockStep, .warning, "the clock was set", details: ["by": "5 s"]))
        // The program itself was told that: no broadcast.
        system.noteSignal(.sighup)
        #expect(eventually { told.lines.contains("systemBroadcast") }, "\(told.lines)")
        Epitaph.stop()
        #expect(Epitaph.systemEvents == nil)
        #expect(told.lines.filter { $0 == "systemBroadcast" }.count == 1)
        #expect(log.lines == [])
    }
}
