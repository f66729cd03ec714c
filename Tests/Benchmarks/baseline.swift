// SPDX-License-Identifier: Apache-2.0
//
// The program of `EpitaphBench idle` without Epitaph.

import Glibc

// The one that measures waits for it.
_ = write(1, "idle\n", 5)
pause()
