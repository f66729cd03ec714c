// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import EpitaphSystem
import EpitaphValues

/// Whether the owner of a locked file still needs it.
package enum OwnerLiveness: Sendable, Equatable {
    case alive(Reason)
    case dead
    /// It is this process, before an execve(2), and no longer needs the file.
    case replaced

    package enum Reason: Sendable, Equatable {
        /// It holds the record lock. Nil: its number means nothing in this pid namespace.
        case holdsLock(processID: Int32?)
        case runs(processID: Int32)
        /// The file has no launch record yet and is too young to be abandoned.
        case mayBeStarting
        /// Unknown, and the file is not old enough to be taken anyway.
        case cannotTell
    }
}

package struct OwnerEvidence: Sendable, Equatable {
    package enum Lock: Sendable, Equatable {
        /// Nil: the holder's number means nothing in this pid namespace.
        case held(processID: Int32?)
        case free
        case unavailable
    }

    package var lock: Lock
    package var launch: LaunchRecord?
    /// State of the launch record's process number in this pid namespace.
    package var processState: ProcFileSystem.ProcessState
    /// The current boot; nil if unknown. A process in a nested namespace may have the same id.
    package var bootID: Epitaph.ID?
    /// Of this process; nil if unknown.
    package var pidNamespace: UInt64?
    package var ownProcessID: Int32
    /// Since the last write to the file; negative if the clock was set back.
    package var ageSeconds: Double
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
    /// The record lock decides: its holder lives. A free lock means death unless the launch record
    /// proves that the process runs, which happens if it lost its lock by closing another
    /// descriptor of the file. Without locks the launch record decides, and then the file's age.
    /// The rule is C's, epitaph_file_owner.c.
    ///
    /// The caller has already left out the files that its own process uses.
    package var liveness: OwnerLiveness {
        let owner = launch.map {
            ProcessIdentity(
                processID: $0.processID ?? 0, startTicks: $0.startTicks ?? 0,
                pidNamespace: $0.pidNamespace ?? 0, bootID: $0.bootID)
        }
        var evidence = epitaph_owner_evidence(owner: owner, state: processState)
        evidence.lock =
            switch lock {
            case .held: EPITAPH_FILE_LOCK_HELD
            case .free: EPITAPH_FILE_LOCK_FREE
            case .unavailable: EPITAPH_FILE_LOCK_UNAVAILABLE
            }
        evidence.asker = epitaph_process_identity(
            ProcessIdentity(
                processID: ownProcessID, startTicks: 0, pidNamespace: pidNamespace ?? 0,
                bootID: bootID))
        evidence.age_seconds = Int64(clamping: ageSeconds)
        evidence.is_own_bundle = isOwnBundle
        switch epitaph_owner_judge(&evidence) {
        case EPITAPH_OWNER_IS_DEAD: return .dead
        case EPITAPH_OWNER_WAS_REPLACED: return .replaced
        default: break
        }
        if case .held(let processID) = lock { return .alive(.holdsLock(processID: processID)) }
        if let owner, epitaph_process_judge(&evidence) == EPITAPH_PROCESS_IS_ALIVE {
            return .alive(.runs(processID: owner.processID))
        }
        return .alive(lock == .unavailable ? .cannotTell : .mayBeStarting)
    }
}

extension Int64 {
    fileprivate init(clamping seconds: Double) {
        self = Int64(exactly: seconds.rounded(.towardZero)) ?? (seconds < 0 ? .min : .max)
    }
}
