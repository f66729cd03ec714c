// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames

extension Epitaph {
    /// Records that the program received a memory warning. The record survives no matter how the
    /// process ends, and later launches see it (`EarlierLaunch.hadMemoryWarning`). Costs one small
    /// write to the dump file.
    public static func noteMemoryWarning() {
        epitaph_memory_warning_note()
    }
}
