// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

extension ProcessSnapshot {
    /// What a report must have to be of use and this one lacks: the reason, the crashing thread
    /// with its registers, the stack it was on, the executable. Empty when all is there.
    package var missingForUse: [String] {
        var missing: [String] = []
        if exception == nil { missing.append("exception") }
        let thread = crashingThread
        if thread?.registers == nil { missing.append("crashing thread") }
        // Registers may point anywhere; the stack is what the dump has of that thread's stack.
        if thread?.stack?.bytes.isEmpty != false { missing.append("stack") }
        if modules.first?.kind != .executable { missing.append("executable") }
        return missing
    }
}
