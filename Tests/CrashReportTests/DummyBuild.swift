// SPDX-License-Identifier: Apache-2.0

/// How the crash dummies are built: as these tests are.
enum DummyBuild {
    /// False where an optimiser has chosen the instructions, left out frames by tail calls, and
    /// turned Swift's failures into bare traps.
    static let isUnoptimized: Bool = {
        #if DEBUG
            true
        #else
            false
        #endif
    }()
}
