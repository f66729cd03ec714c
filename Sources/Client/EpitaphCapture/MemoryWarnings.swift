// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames

extension Epitaph {
    /// Records a memory warning. It survives any end of the process, and later launches see it
    /// (`EarlierLaunch.hadMemoryWarning`). Costs one small write to the dump file.
    public static func noteMemoryWarning() {
        epitaph_memory_warning_note()
    }
}
