// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Identifies a process uniquely. Pids alone are reused, and repeat in other pid namespaces:
/// supervisor and worker may both be PID 1.
package struct ProcessIdentity: Sendable, Equatable {
    /// 0 if unknown.
    package let processID: Int32
    /// Start in clock ticks since boot, field 22 of proc_pid_stat(5). 0 if unknown.
    package let startTicks: UInt64
    /// Inode of the pid namespace, namespaces(7). 0 if unknown.
    package let pidNamespace: UInt64
    /// The boot it ran in, random(4). Nil if unknown.
    package let bootID: Epitaph.ID?

    /// - Parameter bootID: all zeros, stored by a process that could not read it, count as unknown.
    package init(processID: Int32, startTicks: UInt64, pidNamespace: UInt64, bootID: Epitaph.ID?) {
        self.processID = processID
        self.startTicks = startTicks
        self.pidNamespace = pidNamespace
        self.bootID = bootID == Epitaph.ID.none ? nil : bootID
    }

    /// Whether the process runs; nil if unknown. The same rule in C:
    /// Sources/Capture/CEpitaphFormat/epitaph_file_owner.c.
    ///
    /// - Parameters:
    ///   - state: of the process with this id now.
    ///   - currentBootID: nil if unknown.
    ///   - currentPIDNamespace: where `state` was read; nil if unknown.
    package func isRunning(
        state: ProcFileSystem.ProcessState, currentBootID: Epitaph.ID?, currentPIDNamespace: UInt64?
    ) -> Bool? {
        guard let bootID, let currentBootID else { return nil }
        guard bootID == currentBootID else { return false }
        guard pidNamespace != 0, pidNamespace == currentPIDNamespace, processID > 0,
            startTicks != 0
        else { return nil }
        return switch state {
        case .ended: false
        case .unknown: nil
        case .running(let ticks): ticks == startTicks
        }
    }
}

extension ProcFileSystem {
    /// This process; nil if proc lacks a part.
    package func ownIdentity() -> ProcessIdentity? {
        let own = Self.ownProcessID
        guard case .running(let ticks) = state(of: own), let boot = try? bootID(),
            let namespace = try? pidNamespace()
        else { return nil }
        return ProcessIdentity(
            processID: own, startTicks: ticks, pidNamespace: namespace, bootID: boot)
    }

    /// Whether a process runs; nil if unknown.
    package func isRunning(_ process: ProcessIdentity) -> Bool? {
        process.isRunning(
            state: state(of: process.processID), currentBootID: try? bootID(),
            currentPIDNamespace: try? pidNamespace())
    }
}
