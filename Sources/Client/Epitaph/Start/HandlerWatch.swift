// SPDX-License-Identifier: Apache-2.0

import EpitaphCapture
import EpitaphSystem
import EpitaphValues

/// Says which handlers were replaced. Nothing tells us at that moment, so this looks when a thread
/// of ours is awake anyway: docs/decisions/dying-the-true-death.md.
final class HandlerWatch: Sendable {
    private let log: @Sendable (String) -> Void
    private let said = ForkSafeMutex<Set<Signal>>([])

    init(log: @escaping @Sendable (String) -> Void) {
        self.log = log
    }

    /// Logs those that were not displaced at the last look.
    func look() {
        let displaced = Epitaph.displacedSignals
        let new = said.withLock { said in
            defer { said = Set(displaced) }
            return displaced.filter { !said.contains($0) }
        }
        guard !new.isEmpty else { return }
        let names = new.map(\.description).joined(separator: ", ")
        log(
            "another handler has taken the place of Epitaph's for \(names): their crashes leave no"
                + " report unless it passes them on, or Epitaph.retakeDisplacedHandlers() is called"
        )
    }
}
