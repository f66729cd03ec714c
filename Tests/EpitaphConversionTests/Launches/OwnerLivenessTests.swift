// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphSystem
import EpitaphValues
import Foundation
import Testing

private let boot = Epitaph.ID()
private let day = 86_400.0
private let record: LaunchRecord = {
    var record = LaunchRecord()
    record.processID = 500
    record.startTicks = 77
    record.bootID = boot
    record.pidNamespace = 9
    return record
}()

@Suite struct OwnerLivenessTests {
    private func evidence(
        _ lock: OwnerEvidence.Lock, launch: LaunchRecord? = record,
        state: ProcFileSystem.ProcessState = .unknown, bootID: Epitaph.ID? = boot,
        namespace: UInt64? = 9,
        ownProcessID: Int32 = 1, age: Double = 0, isOwn: Bool = true
    ) -> OwnerLiveness {
        OwnerEvidence(
            lock: lock, launch: launch, processState: state, bootID: bootID,
            pidNamespace: namespace, ownProcessID: ownProcessID, ageSeconds: age,
            isOwnBundle: isOwn
        ).liveness
    }

    @Test("A held lock is life, whatever else is said")
    func held() {
        #expect(
            evidence(.held(processID: 3), state: .ended, bootID: Epitaph.ID(), age: 1e9)
                == .alive(.holdsLock(processID: 3)))
        #expect(evidence(.held(processID: nil), launch: nil) == .alive(.holdsLock(processID: nil)))
    }

    @Test("A free lock is death when the record cannot say otherwise")
    func free() {
        #expect(evidence(.free, state: .ended) == .dead)
        #expect(evidence(.free, state: .unknown) == .dead)
        #expect(evidence(.free, namespace: 8) == .dead)
        #expect(evidence(.free, state: .running(startTicks: 78)) == .dead)
        #expect(evidence(.free, bootID: nil, namespace: nil) == .dead)
    }

    @Test("A process that lost its lock is still alive by its launch record")
    func lostLock() {
        #expect(evidence(.free, state: .running(startTicks: 77)) == .alive(.runs(processID: 500)))
    }

    @Test("A file without a launch record is given a minute to get one")
    func starting() {
        for age in [-59.9, 0, 59.9] {
            #expect(evidence(.free, launch: nil, age: age) == .alive(.mayBeStarting))
        }
        for age in [-60, 60, 1e6] { #expect(evidence(.free, launch: nil, age: age) == .dead) }
    }

    @Test("Without locks the launch record decides")
    func byRecord() {
        let running = ProcFileSystem.ProcessState.running(startTicks: 77)
        #expect(evidence(.unavailable, state: running) == .alive(.runs(processID: 500)))
        #expect(evidence(.unavailable, state: running, bootID: Epitaph.ID()) == .dead)
        #expect(evidence(.unavailable, state: .running(startTicks: 76)) == .dead)
        #expect(evidence(.unavailable, state: .ended) == .dead)
        // This very process, and a file it does not use: left from before an execve.
        #expect(evidence(.unavailable, state: running, ownProcessID: 500) == .replaced)
    }

    @Test(
        "Where nothing tells, 24 hours count for the own bundle and 60 days for any",
        arguments: [
            (true, 0.0, false), (true, day - 1, false), (true, day, true), (true, 60 * day, true),
            (false, day, false), (false, 60 * day - 1, false), (false, 60 * day, true),
            (true, -1e9, false), (false, -1e9, false),
        ])
    func byAge(isOwn: Bool, age: Double, isDead: Bool) {
        let expected: OwnerLiveness = isDead ? .dead : .alive(.cannotTell)
        // No record; another pid namespace; a process that proc hides; no proc at all.
        #expect(evidence(.unavailable, launch: nil, age: age, isOwn: isOwn) == expected)
        #expect(evidence(.unavailable, namespace: 8, age: age, isOwn: isOwn) == expected)
        #expect(evidence(.unavailable, state: .unknown, age: age, isOwn: isOwn) == expected)
        #expect(
            evidence(.unavailable, bootID: nil, namespace: nil, age: age, isOwn: isOwn) == expected)
    }

    @Test("A worker that is PID 1 too does not take its supervisor's file for its own")
    func nestedNamespace() {
        var supervisor = record
        supervisor.processID = 1
        supervisor.pidNamespace = 8
        func ask(_ lock: OwnerEvidence.Lock, namespace: UInt64, ticks: UInt64) -> OwnerLiveness {
            evidence(
                lock, launch: supervisor, state: .running(startTicks: ticks), namespace: namespace)
        }
        #expect(ask(.held(processID: nil), namespace: 9, ticks: 99) != .dead)
        #expect(ask(.unavailable, namespace: 9, ticks: 77) == .alive(.cannotTell))
        // In its own namespace it is the very process, as another program.
        #expect(ask(.free, namespace: 8, ticks: 77) == .replaced)
        #expect(ask(.free, namespace: 8, ticks: 78) == .dead)
    }

    @Test("A record with a field missing cannot tell")
    func incomplete() {
        for key in [\LaunchRecord.processID] {
            var partial = record
            partial[keyPath: key] = nil
            #expect(evidence(.unavailable, launch: partial) == .alive(.cannotTell))
        }
        var partial = record
        partial.startTicks = nil
        #expect(
            evidence(.unavailable, launch: partial, state: .running(startTicks: 77))
                == .alive(.cannotTell))
        partial = record
        partial.pidNamespace = nil
        #expect(evidence(.unavailable, launch: partial, namespace: nil) == .alive(.cannotTell))
    }
}
