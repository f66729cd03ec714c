// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem

/// What work like the making of reports has freed, and the allocator keeps for the next such work.
package enum FreedMemory {
    /// After the work and not within it: it takes the time of a look at all free blocks.
    package static func giveBack() {
        epitaph_freed_memory_return()
    }
}
