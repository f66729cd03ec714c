// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// Whether the owner of a locked file still needs it.
package enum OwnerLiveness: Sendable, Equatable {
    /// It runs, or may run, and may still write to the file.
    case alive(Reason)
    case dead
    /// The owner is this process: it was another program when it wrote the file, and execve(2)
    /// keeps process id and start time. It no longer needs the file.
    case replaced

    package enum Reason: Sendable, Equatable {
        /// It holds the record lock. Nil: its number means nothing in this pid namespace.
        case holdsLock(processID: Int32?)
        /// The process of the launch record runs.
        case runs(processID: Int32)
        /// The file has no launch record yet and is too young to be abandoned.
        case mayBeStarting
        /// Unknown, and the file is not old enough to be taken anyway.
        case cannotTell
    }
}

/// The evidence, gathered beforehand so that the conclusion is pure.
package struct OwnerEvidence: Sendable, Equatable {
    /// The record lock that every owner holds from arming to death: F_GETLK.
    package enum Lock: Sendable, Equatable {
        /// Nil: the holder's number means nothing in this pid namespace.
        case held(processID: Int32?)
        case free
        /// The file system has no record locks.
        case unavailable
    }

    package var lock: Lock
    /// From the file; nil if it has none.
    package var launch: LaunchRecord?
    /// State of the launch record's process number in this pid namespace.
    package var processState: ProcFileSystem.ProcessState
    /// The current boot; nil if unknown. A process id alone identifies nothing: a process in a
    /// nested namespace may have the same.
    package var bootID: Epitaph.ID?
    /// Of this process; nil if unknown.
    package var pidNamespace: UInt64?
    package var ownProcessID: Int32
    /// Since the last write to the file; negative if the clock was set back.
    package var ageSeconds: Double
    /// Whether the file is of the bundle that the sweep runs for.
    package var isOwnBundle: Bool

    package init(
        lock: Lock, launch: LaunchRecord?, processState: ProcFileSystem.ProcessState,
        bootID: Epitaph.ID?,
        pidNamespace: UInt64?, ownProcessID: Int32, ageSeconds: Double, isOwnBundle: Bool
    ) {
        self.lock = lock
        self.launch = launch
        self.processState = processState
        self.bootID = bootID
        self.pidNamespace = pidNamespace
        self.ownProcessID = ownProcessID
        self.ageSeconds = ageSeconds
        self.isOwnBundle = isOwnBundle
    }
}

extension OwnerEvidence {
    /// An owner takes milliseconds from creating the file to its lock and launch record; this limit
    /// is for one that was stopped in between.
    package static let startingGraceSeconds = 60.0
    /// Without any evidence a file of the sweep's own program is abandoned after this time.
    package static let ownBundleLimitSeconds = 24 * 3600.0
    /// The same for files of other programs.
    package static let anyBundleLimitSeconds = 60 * 24 * 3600.0

    /// The record lock decides: its holder lives. A free lock means death, unless the launch record
    /// proves that the process runs; it may have lost its lock by closing another descriptor of the
    /// file. Without locks the launch record decides, and if it does not help, the file's age.
    ///
    /// The caller has already left out files that its own process uses.
    /// Sources/Capture/CEpitaphFormat/epitaph_file_owner.c has the same rule in C.
    package var liveness: OwnerLiveness {
        if case .held(let processID) = lock { return .alive(.holdsLock(processID: processID)) }
        switch (byLaunchRecord, lock) {
        case (.alive(let reason), _): return .alive(reason)
        case (.dead, _): return .dead
        case (.replaced, _): return .replaced
        case (nil, .unavailable):
            let limit = isOwnBundle ? Self.ownBundleLimitSeconds : Self.anyBundleLimitSeconds
            return ageSeconds >= limit ? .dead : .alive(.cannotTell)
        case (nil, _):
            let mayBeStarting = launch == nil && abs(ageSeconds) < Self.startingGraceSeconds
            return mayBeStarting ? .alive(.mayBeStarting) : .dead
        }
    }

    /// Nil if the launch record does not decide: missing, incomplete, or of another pid namespace.
    private var byLaunchRecord: OwnerLiveness? {
        guard let launch else { return nil }
        let owner = ProcessIdentity(
            processID: launch.processID ?? 0, startTicks: launch.startTicks ?? 0,
            pidNamespace: launch.pidNamespace ?? 0, bootID: launch.bootID)
        switch owner.isRunning(
            state: processState, currentBootID: bootID, currentPIDNamespace: pidNamespace)
        {
        case nil: return nil
        case false?: return .dead
        // Our own process, which does not use the file: it is from before this process's execve(2).
        case true? where owner.processID == ownProcessID: return .replaced
        case true?: return .alive(.runs(processID: owner.processID))
        }
    }
}
