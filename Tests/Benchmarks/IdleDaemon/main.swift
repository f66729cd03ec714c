// SPDX-License-Identifier: Apache-2.0
//
// IdleDaemon DATABASE: starts Epitaph as it is unless set, and does nothing. Memory is compared with
// that of IdleBaseline.

import Epitaph
import Glibc

Epitaph.start(
    .init(databasePath: CommandLine.arguments[1], bundleID: "org.example.idle"))
// The one that measures waits for it.
_ = write(1, "idle\n", 5)
pause()
