// SPDX-License-Identifier: Apache-2.0

import Epitaph
import Foundation

extension Epitaph.Configuration {
    /// For tests that start Epitaph in the test process: it handles one harmless signal, and does
    /// nothing to the threads of other tests.
    init(here databasePath: String, _ bundleID: String, log: Log) {
        self.init(databasePath: databasePath, bundleID: bundleID)
        capture.signals = [.sigusr2]
        capture.allowsDebugger = true
        capture.preparesExistingThreads = false
        heedsEnvironment = false
        processesEarlierDumps = false
        self.log = { log.add($0) }
    }
}
