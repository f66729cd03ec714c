// SPDX-License-Identifier: Apache-2.0

import Epitaph
import Foundation
import Glibc

/// Shared by all sessions.
final class Services: Sendable {
    let journal: Journal
    let ledger = Ledger()
    let importer = Importer()
    let settings: Settings
    let served = Epitaph.metrics?.counter("requests")
    let answering = Epitaph.metrics?.durations("answer")

    init(_ arguments: Arguments, _ journal: Journal) {
        self.journal = journal
        settings = Settings(arguments.databasePath + ".settings")
        Epitaph.navigation?.enter(phase: "loading")
    }

    /// Prints what Epitaph notices. An observer may block: nothing waits for it.
    func watchItself() {
        Epitaph.events?.addObserver { event in
            switch event.payload {
            case .hang(let hang): say("noticed: hang of \(hang.subject), \(hang.outcome)")
            case .memoryWarning(let warning): say("noticed: \(warning.source)")
            default: break
            }
        }
        Epitaph.navigation?.addListener { [journal] step in
            guard step.kind == .phase else { return }
            journal.write(.info, tag: "phase", step.destination)
        }
    }

    func ready(onPort port: UInt16) {
        Epitaph.note("listening on port \(port)", category: "network")
        Epitaph.context?.update { $0.setTag("port", to: "\(port)") }
        Epitaph.navigation?.enter(phase: "serving")
        Epitaph.events?.record(.lifecycle(LifecycleDetails(phase: .ready)))
    }

    func stop(_ reason: String, signal: Epitaph.Signal? = nil) -> Never {
        if let signal { Epitaph.systemEvents?.noteSignal(signal) }
        Epitaph.navigation?.enter(phase: "draining")
        Epitaph.events?.record(
            .lifecycle(LifecycleDetails(phase: .stopping, reason: reason)))
        Epitaph.stop()
        exit(0)
    }
}

/// The daemon's log: a file attached to every report, and lines from which Epitaph makes
/// breadcrumbs and events by the rules of Reporting.swift.
struct Journal: Sendable {
    let path: String

    func write(_ level: Epitaph.Level, tag: String, _ message: String) {
        let line = Array("\(level) \(tag): \(message)\n".utf8)
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        if file >= 0 {
            _ = Glibc.write(file, line, line.count)
            close(file)
        }
        Epitaph.log(LogLine(level, tag: tag, message))
    }
}
