// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames

extension Epitaph {
    /// Includes memory, as it is at a crash, in reports of this process: for example a ring of
    /// recent events. Thread-safe. The caller owns the memory; unreadable parts are left out, and
    /// copies of environment variables are blanked. Registering an address again changes its size.
    ///
    /// - Parameter memory: a report has at most 64 ranges, by default 1 MiB together.
    /// - Throws: `Refusal` if there are 64 ranges already, or if `memory` is empty.
    public static func registerMemory(
        _ memory: UnsafeRawBufferPointer
    ) throws(Epitaph.Refusal) {
        switch epitaph_memory_register(memory.baseAddress, memory.count) {
        case EPITAPH_OK: return
        case EPITAPH_NO_ROOM:
            throw Refusal(
                .limitReached, "64 ranges of memory are registered: unregister one first")
        default: throw Refusal(.invalidArgument, "there are no bytes to register")
        }
    }

    /// Unregisters the range at this address, if any.
    public static func unregisterMemory(at address: UnsafeRawPointer) {
        epitaph_memory_unregister(address)
    }
}
