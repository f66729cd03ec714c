// SPDX-License-Identifier: Apache-2.0

import CEpitaph

extension CrashReporter {
    /// Notes that the program was told that memory is short. The note outlives the process however
    /// it ends, and is part of what later launches learn of this one
    /// (`EarlierLaunch.hadMemoryWarning`). One small write to the dump file.
    public func noteMemoryWarning() {
        epitaph_memory_warning_note()
    }
}
