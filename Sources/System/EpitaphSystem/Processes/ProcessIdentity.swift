// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
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

    /// Whether the process runs; nil if that cannot be known here. The rule is C's. `state` is of
    /// the process with this id now, read in `currentPIDNamespace`; nil is unknown.
    package func isRunning(
        state: ProcFileSystem.ProcessState, currentBootID: Epitaph.ID?, currentPIDNamespace: UInt64?
    ) -> Bool? {
        var evidence = epitaph_owner_evidence(owner: self, state: state)
        evidence.asker = epitaph_process_identity(
            ProcessIdentity(
                processID: 0, startTicks: 0, pidNamespace: currentPIDNamespace ?? 0,
                bootID: currentBootID))
        switch epitaph_process_judge(&evidence) {
        case EPITAPH_PROCESS_IS_ALIVE: return true
        case EPITAPH_PROCESS_IS_DEAD: return false
        default: return nil
        }
    }
}

extension epitaph_owner_evidence {
    /// `owner` is nil without a launch record; `state` is proc's of its process id.
    package init(owner: ProcessIdentity?, state: ProcFileSystem.ProcessState) {
        self.init()
        has_launch_record = owner != nil
        if let owner { self.owner = epitaph_process_identity(owner) }
        switch state {
        case .unknown: self.state = EPITAPH_PROCESS_UNKNOWN
        case .ended: self.state = EPITAPH_PROCESS_HAS_ENDED
        case .running(let startTicks):
            self.state = EPITAPH_PROCESS_RUNS
            running_start_ticks = startTicks
        }
    }
}

extension epitaph_process_identity {
    package init(_ identity: ProcessIdentity) {
        self.init()
        pid = identity.processID
        start_ticks = identity.startTicks
        pid_namespace = identity.pidNamespace
        if let bootID = identity.bootID {
            withUnsafeMutableBytes(of: &boot_id) { $0.copyBytes(from: bootID.bytes) }
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
