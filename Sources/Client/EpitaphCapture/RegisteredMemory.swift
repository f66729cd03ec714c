// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames

extension Epitaph {
    /// Adds memory, as it is at the time of a crash, to the report that this process may leave: a
    /// ring of recent events, a state machine, a header. From any thread.
    ///
    /// The caller owns the memory; parts that are unreadable at a crash are left out. An address
    /// that is registered already gets the new size.
    ///
    /// Copies of environment variables in it are blanked.
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

    /// Removes the range that was registered at this address.
    public static func unregisterMemory(at address: UnsafeRawPointer) {
        epitaph_memory_unregister(address)
    }
}
