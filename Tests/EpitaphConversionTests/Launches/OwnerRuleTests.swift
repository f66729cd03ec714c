// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import EpitaphConversion
import EpitaphSystem
import EpitaphValues
import Foundation
import Testing

/// One table of cases before the rule in Swift and the rule in C.
@Suite("Whose a locked file is, in Swift and in C")
struct OwnerRuleTests {
    private static let boot = Epitaph.ID("11111111-2222-4333-8444-555555555555") ?? Epitaph.ID()
    private static let otherBoot = Epitaph.ID()
    private static let noBoot = Epitaph.ID.none

    private static let locks: [(OwnerEvidence.Lock, epitaph_file_lock)] = [
        (.free, EPITAPH_FILE_LOCK_FREE), (.held(processID: 7), EPITAPH_FILE_LOCK_HELD),
        (.unavailable, EPITAPH_FILE_LOCK_UNAVAILABLE),
    ]
    private static let states: [ProcFileSystem.ProcessState] = [
        .unknown, .ended, .running(startTicks: 77), .running(startTicks: 78),
    ]
    /// Process, start, namespace, boot; nil for a file without a launch record. The second is what a
    /// supervisor that is PID 1 writes; a worker in a nested namespace is PID 1 too.
    private static let records: [LaunchRecord?] = [
        nil, record(500, 77, 9, boot), record(1, 77, 8, boot), record(1, 77, 9, boot),
        record(500, 0, 9, boot), record(0, 77, 9, boot), record(500, 77, 0, boot),
        record(500, 77, 9, otherBoot), record(500, 77, 9, noBoot),
    ]
    private static let ages: [Double] = [-3600, -30, 0, 30, 61, 86_399, 86_401, 61 * 86_400]

    private static func record(
        _ process: Int32, _ ticks: UInt64, _ namespace: UInt64, _ boot: Epitaph.ID
    ) -> LaunchRecord {
        var record = LaunchRecord()
        record.processID = process
        record.startTicks = ticks
        record.pidNamespace = namespace
        record.bootID = boot
        return record
    }

    private struct Asker {
        var processID: Int32
        var namespace: UInt64
        var boot: Epitaph.ID?
    }

    private static let askers = [
        Asker(processID: 1, namespace: 9, boot: boot),
        Asker(processID: 500, namespace: 9, boot: boot),
        Asker(processID: 1, namespace: 8, boot: boot), Asker(processID: 2, namespace: 9, boot: nil),
    ]

    @Test("Both say the same of every case")
    func agree() {
        var verdicts: [UInt32: Int] = [:]
        for (lock, cLock) in Self.locks {
            for state in Self.states {
                for record in Self.records {
                    for asker in Self.askers {
                        for age in Self.ages {
                            for isOwn in [true, false] {
                                let swift = OwnerEvidence(
                                    lock: lock, launch: record, processState: state,
                                    bootID: asker.boot, pidNamespace: asker.namespace,
                                    ownProcessID: asker.processID, ageSeconds: age,
                                    isOwnBundle: isOwn)
                                let c = Self.verdict(swift, cLock, asker)
                                verdicts[c.rawValue, default: 0] += 1
                                if swift.liveness.verdict != c {
                                    Issue.record("\(swift): \(c.rawValue)")
                                }
                            }
                        }
                    }
                }
            }
        }
        #expect(verdicts.count == 3)
    }

    @Test("A worker that is PID 1 too does not take its supervisor's file for its own")
    func nestedNamespace() {
        let supervisor = Self.record(1, 77, 8, Self.boot)
        func ask(_ lock: OwnerEvidence.Lock, namespace: UInt64, ticks: UInt64) -> OwnerLiveness {
            OwnerEvidence(
                lock: lock, launch: supervisor, processState: .running(startTicks: ticks),
                bootID: Self.boot, pidNamespace: namespace, ownProcessID: 1, ageSeconds: 0,
                isOwnBundle: true
            ).liveness
        }
        #expect(ask(.held(processID: nil), namespace: 9, ticks: 99) != .dead)
        #expect(ask(.unavailable, namespace: 9, ticks: 77) == .alive(.cannotTell))
        // In its own namespace it is the very process, as another program.
        #expect(ask(.free, namespace: 8, ticks: 77) == .replaced)
        #expect(ask(.free, namespace: 8, ticks: 78) == .dead)
    }

    private static func verdict(
        _ swift: OwnerEvidence, _ lock: epitaph_file_lock, _ asker: Asker
    ) -> epitaph_owner_verdict {
        var evidence = epitaph_owner_evidence()
        evidence.lock = lock
        evidence.has_launch_record = swift.launch != nil
        evidence.owner.pid = swift.launch?.processID ?? 0
        evidence.owner.start_ticks = swift.launch?.startTicks ?? 0
        evidence.owner.pid_namespace = swift.launch?.pidNamespace ?? 0
        setBytes(of: swift.launch?.bootID ?? noBoot, in: &evidence.owner)
        switch swift.processState {
        case .unknown: evidence.state = EPITAPH_PROCESS_UNKNOWN
        case .ended: evidence.state = EPITAPH_PROCESS_HAS_ENDED
        case .running(let ticks):
            evidence.state = EPITAPH_PROCESS_RUNS
            evidence.running_start_ticks = ticks
        }
        evidence.asker.pid = asker.processID
        evidence.asker.start_ticks = 77
        evidence.asker.pid_namespace = asker.namespace
        setBytes(of: asker.boot ?? noBoot, in: &evidence.asker)
        evidence.age_seconds = Int64(swift.ageSeconds)
        evidence.is_own_bundle = swift.isOwnBundle
        return epitaph_owner_judge(&evidence)
    }
}

private func setBytes(of boot: Epitaph.ID, in identity: inout epitaph_process_identity) {
    withUnsafeMutableBytes(of: &identity.boot_id) { $0.copyBytes(from: boot.bytes) }
}

extension OwnerLiveness {
    fileprivate var verdict: epitaph_owner_verdict {
        switch self {
        case .alive: EPITAPH_OWNER_IS_ALIVE
        case .dead: EPITAPH_OWNER_IS_DEAD
        case .replaced: EPITAPH_OWNER_WAS_REPLACED
        }
    }
}
