// SPDX-License-Identifier: Apache-2.0

import CEpitaph

extension CrashReporter {
    /// Puts memory, as it is at a crash, into the report this process may leave: a ring of recent
    /// events, a state machine, a header. From any thread.
    ///
    /// The caller keeps the memory; what is unreadable at a crash is left out. An address that is
    /// registered already gets the new size.
    ///
    /// - Parameter memory: not empty. At most 64 ranges, and by default 1 MiB of all together, are
    ///   in a report.
    /// - Returns: false when there are 64 ranges already, or `memory` is empty.
    @discardableResult
    public func registerMemory(_ memory: UnsafeRawBufferPointer) -> Bool {
        epitaph_memory_register(memory.baseAddress, memory.count) == EPITAPH_OK
    }

    /// Takes the range that was registered at this address out again.
    public func unregisterMemory(at address: UnsafeRawPointer) {
        epitaph_memory_unregister(address)
    }
}
