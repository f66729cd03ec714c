// SPDX-License-Identifier: Apache-2.0
//
// EpitaphBench idle DATABASE: starts Epitaph as it is unless set, and does nothing. Memory is compared
// with that of baseline.swift.

import Epitaph
import Glibc

enum IdleBench {
    static func run(_ arguments: [String]) {
        Epitaph.start(
            .init(databasePath: arguments[1], bundleID: "org.example.idle"))
        // The one that measures waits for it.
        _ = write(1, "idle\n", 5)
        pause()
    }
}
