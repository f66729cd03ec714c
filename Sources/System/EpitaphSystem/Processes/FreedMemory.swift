// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem

/// Memory that work such as making reports has freed and the allocator keeps for more such work.
package enum FreedMemory {
    /// For a process whose only task is such work.
    package static func keep() {
        epitaph_freed_memory_keep()
    }

    /// After the work and not within it: it takes the time of a look at all free blocks.
    package static func giveBack() {
        epitaph_freed_memory_return()
    }
}
