// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames

extension Epitaph {
    /// Puts memory, as it is at a crash, into the report this process may leave: a ring of recent
    /// events, a state machine, a header. From any thread.
    ///
    /// The caller keeps the memory; what is unreadable at a crash is left out. An address that is
    /// registered already gets the new size.
    ///
    /// What of it says the same as a variable of the environment is blanked.
    ///
    /// - Parameter memory: at most 64 ranges, and by default 1 MiB of all together, are in a
    ///   report.
    /// - Throws: `Refusal` when there are 64 ranges already, or `memory` is empty.
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

    /// Takes the range that was registered at this address out again.
    public static func unregisterMemory(at address: UnsafeRawPointer) {
        epitaph_memory_unregister(address)
    }
}
