// SPDX-License-Identifier: Apache-2.0

import Epitaph
import Foundation

/// What all sessions share.
final class Services: Sendable {
    let journal: Journal
    let ledger = Ledger()
    let importer = Importer()
    let settings: Settings
    let served = Epitaph.shared.metrics?.counter("requests")
    let answering = Epitaph.shared.metrics?.durations("answer")

    init(_ arguments: Arguments, _ journal: Journal) {
        self.journal = journal
        settings = Settings(arguments.databasePath + ".settings")
        Epitaph.shared.navigation?.enter(phase: "loading")
    }

    /// Tells what Epitaph notices while the daemon runs. An observer may take its time: nothing
    /// waits for it.
    func watchItself() {
        Epitaph.shared.events?.addObserver { event in
            switch event.payload {
            case .hang(let hang): say("noticed: hang of \(hang.subject), \(hang.outcome)")
            case .memoryWarning(let warning): say("noticed: \(warning.source)")
            default: break
            }
        }
        Epitaph.shared.navigation?.addListener { [journal] step in
            guard step.kind == .phase else { return }
            journal.write(.info, tag: "phase", step.destination)
        }
    }

    func ready(onPort port: UInt16) {
        Epitaph.shared.addBreadcrumb("listening on port \(port)", category: "network")
        Epitaph.shared.context?.update { $0.setTag("port", to: "\(port)") }
        Epitaph.shared.navigation?.enter(phase: "serving")
        Epitaph.shared.events?.record(.lifecycle(LifecycleDetails(phase: .ready)))
    }

    /// Ends the daemon in order.
    func stop(_ reason: String) -> Never {
        Epitaph.shared.systemEvents?.noteSignal(reason)
        Epitaph.shared.navigation?.enter(phase: "draining")
        Epitaph.shared.events?.record(
            .lifecycle(LifecycleDetails(phase: .stopping, reason: reason)))
        Epitaph.shared.stop()
        exit(0)
    }
}
