// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A process, identified by four facts that together never mean another one.
///
/// A process id alone is reused after a while. It also means different processes at the same time
/// in different pid namespaces: supervisor and worker may both be PID 1.
package struct ProcessIdentity: Sendable, Equatable {
    /// 0 if unknown.
    package let processID: Int32
    /// When it started, in clock ticks since boot: field 22 of proc_pid_stat(5). 0 if unknown.
    package let startTicks: UInt64
    /// The inode of its pid namespace, namespaces(7). 0 if unknown.
    package let pidNamespace: UInt64
    /// The boot it ran in, random(4). Nil if unknown.
    package let bootID: Epitaph.ID?

    /// - Parameters:
    ///   - processID: 0 if unknown.
    ///   - startTicks: clock ticks from boot to the process's start; 0 if unknown.
    ///   - pidNamespace: the inode of its pid namespace; 0 if unknown.
    ///   - bootID: all zeros, which a process stores that could not read it, count as unknown.
    package init(processID: Int32, startTicks: UInt64, pidNamespace: UInt64, bootID: Epitaph.ID?) {
        self.processID = processID
        self.startTicks = startTicks
        self.pidNamespace = pidNamespace
        self.bootID = bootID == Epitaph.ID.none ? nil : bootID
    }

    /// Whether the process runs; nil if that cannot be known here. The only rule in Swift for this
    /// question; the same rule in C is in Sources/Capture/CEpitaphFormat/epitaph_file_owner.c.
    ///
    /// - Parameters:
    ///   - state: what proc says now about the process with this id.
    ///   - currentBootID: of this boot; nil if unknown.
    ///   - currentPIDNamespace: the one in which `state` was read; nil if unknown.
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

    /// Whether a process runs; nil if that cannot be known here.
    package func isRunning(_ process: ProcessIdentity) -> Bool? {
        process.isRunning(
            state: state(of: process.processID), currentBootID: try? bootID(),
            currentPIDNamespace: try? pidNamespace())
    }
}
