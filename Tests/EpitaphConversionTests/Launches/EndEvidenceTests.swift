// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphConversion

private let thisBoot = Epitaph.ID()
private let start = Timestamp(secondsSince1970: 1_700_000_000)

/// What the ends of launches rest on.
@Suite struct EndEvidenceTests {
    private func launch(_ edit: (inout LaunchRecord) -> Void = { _ in }) -> LaunchRecord {
        var launch = LaunchRecord()
        launch.bootID = thisBoot
        launch.processID = 4711
        launch.startTicks = 1000
        launch.pidNamespace = OutOfMemoryJudge.firstNamespace
        launch.executablePath = "/usr/sbin/a-daemon-of-a-long-name"
        launch.time = start
        edit(&launch)
        return launch
    }

    // MARK: Out of memory

    private static let atStart = """
        cgroup 10 3 0 /system.slice/a.service
        cgroup 5 7 0 /system.slice
        kernel 9

        """

    private func judge(
        groups: [String: ControlGroupKills], kernel: UInt64?, log: [KernelMessage]? = nil
    ) -> OutOfMemoryJudge {
        OutOfMemoryJudge(
            groupKills: { groups[$0] }, kernelKills: { kernel }, kernelLog: { log })
    }

    private func kills(_ inode: UInt64, _ kills: UInt64) -> ControlGroupKills {
        ControlGroupKills(inode: inode, kills: kills, groupKills: 0)
    }

    private func evidence(_ judge: OutOfMemoryJudge) -> OutOfMemoryEvidence {
        judge.evidence(for: launch { $0.oomKills = Self.atStart })
    }

    private func verdict(_ judge: OutOfMemoryJudge) -> LaunchEnd {
        evidence(judge).verdict.end
    }

    @Test("Counts that did not rise rule it out")
    func ruledOut() {
        let same = judge(groups: [:], kernel: 9)
        #expect(verdict(same) == .killed)
        guard case .ruledOut = evidence(same) else {
            Issue.record("\(evidence(same))")
            return
        }
        // The machine's rose, its own group's did not.
        let others = judge(
            groups: [
                "/system.slice/a.service": kills(10, 3), "/system.slice": kills(5, 8),
            ], kernel: 10)
        guard case .ruledOut = evidence(others) else {
            Issue.record("\(evidence(others))")
            return
        }
    }

    @Test("A kill in its control group makes it likely, and is called a guess")
    func likely() {
        let own = judge(groups: ["/system.slice/a.service": kills(10, 5)], kernel: 11)
        #expect(verdict(own) == .outOfMemory(isCertain: false))
        let ownWords = evidence(own).verdict.evidence
        #expect(ownWords?.contains("2 processes of its control group") == true)
        // The service's group was made anew: the one around it counts.
        let around = judge(
            groups: ["/system.slice/a.service": kills(77, 0), "/system.slice": kills(5, 8)],
            kernel: 10)
        #expect(verdict(around) == .outOfMemory(isCertain: false))
        #expect(evidence(around).verdict.evidence?.contains("/system.slice ended") == true)
    }

    @Test("A kill somewhere on the machine is said, and decides nothing")
    func possible() {
        let somewhere = judge(groups: [:], kernel: 10)
        #expect(verdict(somewhere) == .killed)
        #expect(evidence(somewhere).verdict.evidence?.contains("1 of the machine's") == true)
        // The group around it did not count one.
        let elsewhere = judge(groups: ["/system.slice": kills(5, 7)], kernel: 10)
        #expect(verdict(elsewhere) == .killed)
    }

    @Test("Where nothing was counted, or nothing can be read, nothing is known")
    func unknown() {
        #expect(judge(groups: [:], kernel: nil).evidence(for: launch()) == .unknown)
        #expect(evidence(judge(groups: [:], kernel: nil)) == .unknown)
        let garbage = launch { $0.oomKills = "cgroup x y\nkernel\n\u{0}" }
        #expect(judge(groups: [:], kernel: 9).evidence(for: garbage) == .unknown)
    }

    @Test("The kernel's log makes it certain: the same number and name, after the start")
    func certain() {
        let line = "Memory cgroup out of memory: Killed process 4711 (a-daemon-of-a-l) total-vm:1kB"
        func end(_ message: KernelMessage, _ namespace: UInt64 = 0xefff_fffc) -> LaunchEnd {
            let judge = judge(groups: [:], kernel: 10, log: [message])
            let launch = launch {
                $0.oomKills = Self.atStart
                $0.pidNamespace = namespace
            }
            return judge.evidence(for: launch).verdict.end
        }
        // 1,000 ticks of 10 ms.
        let after = KernelMessage(microseconds: 10_000_001, text: line)
        #expect(end(after) == .outOfMemory(isCertain: true))
        #expect(end(KernelMessage(microseconds: 9_999_999, text: line)) == .killed)
        #expect(end(after, 1) == .killed)
        let other = line.replacing("4711", with: "471")
        #expect(end(KernelMessage(microseconds: 10_000_001, text: other)) == .killed)
    }

    // MARK: Restarts

    private func event(_ kind: WtmpEvent.Kind, _ seconds: Double) -> WtmpEvent {
        WtmpEvent(kind, start.adding(seconds: seconds))
    }

    @Test("A shutdown before the next start is one; a start without is a loss of power or a crash")
    func restart() {
        func restart(_ events: [WtmpEvent]) -> LaunchEnd {
            WtmpEvent.restart(in: events, after: start).end
        }
        let earlier = event(.start, -100)
        #expect(restart([earlier, event(.shutdown, 50), event(.start, 60)]) == .shutdown)
        #expect(restart([earlier, event(.other, 50), event(.start, 60)]) == .powerLoss)
        // The shutdown belongs to a later boot.
        #expect(
            restart([earlier, event(.start, 60), event(.shutdown, 70), event(.start, 80)])
                == .powerLoss)
        // The one before the launch's own boot says nothing.
        #expect(
            restart([event(.start, -200), event(.shutdown, -150), earlier, event(.start, 60)])
                == .powerLoss)
        #expect(restart([]) == .lostToReboot)
        #expect(restart([earlier, event(.other, 5)]) == .lostToReboot)
        // Rotated: it begins after the launch.
        #expect(restart([event(.other, 5), event(.start, 60)]) == .lostToReboot)
        #expect(restart([event(.shutdown, 50), event(.start, 60)]) == .shutdown)
    }

    private func record(_ type: UInt8, _ user: String, _ seconds: UInt32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: WtmpEvent.recordBytes)
        bytes[0] = type
        bytes.replaceSubrange(44..<(44 + user.utf8.count), with: user.utf8)
        let place = WtmpEvent.recordBytes == 384 ? 340 : 344
        for index in 0..<4 {
            bytes[place + index] = UInt8(truncatingIfNeeded: seconds >> (8 * index))
        }
        return bytes
    }

    @Test("wtmp is read as utmp(5) lays it out, rotated or not, and pstore beside it")
    func machineLogs() throws {
        let directory = try TemporaryDirectory()
        let seconds = UInt32(start.secondsSince1970)
        let old = try directory.write(record(2, "reboot", seconds - 100), to: "wtmp.1")
        let new = try directory.write(
            record(7, "shutdown-user", seconds + 1) + record(1, "shutdown", seconds + 50)
                + record(2, "reboot", seconds + 60) + [1, 2, 3], to: "wtmp")
        let logs = MachineLogs(wtmpPaths: [old, new], pstorePaths: [])
        #expect(logs.restart(after: start) == .shutdown(start.adding(seconds: 50)))
        _ = try directory.write(record(2, "reboot", seconds + 60), to: "wtmp")
        #expect(logs.restart(after: start) == .withoutShutdown(start.adding(seconds: 60)))
        let none = MachineLogs(wtmpPaths: [directory.path("none")], pstorePaths: [])
        #expect(none.restart(after: start).end == .lostToReboot)
        try Directory.make(directory.path("pstore"))
        _ = try directory.write([1], to: "pstore/dmesg-efi-1")
        let crashed = MachineLogs(wtmpPaths: [], pstorePaths: [directory.path("pstore")])
        #expect(crashed.restart(after: start).end == .powerLoss)
        #expect(crashed.restart(after: Timestamp.now.adding(seconds: 60)).end == .lostToReboot)
        #expect(logs.restart(after: nil).end == .lostToReboot)
    }

    // MARK: Verdicts

    @Test("A mark decides before anything else is asked")
    func marks() {
        var evidence = EndEvidence(launch: launch { $0.cleanExitTime = start })
        evidence.isReplaced = true
        evidence.outOfMemory = .certain("log")
        #expect(evidence.verdict.end == .cleanly)
        let signalled = launch {
            $0.endSignal = 15
            $0.endSignalSender = 1
            $0.bootID = Epitaph.ID()
        }
        let verdict = EndEvidence(launch: signalled, bootID: thisBoot).verdict
        #expect(verdict == EndVerdict(end: .signalled(15), evidence: "process 1 sent the signal"))
    }

    @Test("A kill names the signals that it was not")
    func ruledOutSignals() {
        var evidence = EndEvidence(
            launch: launch { $0.markedSignals = 1 << 14 | 1 }, bootID: thisBoot)
        evidence.outOfMemory = .ruledOut("no memory was short")
        #expect(evidence.verdict.end == .killed)
        #expect(
            evidence.verdict.evidence
                == "no memory was short; had it been SIGHUP or SIGTERM with the default action, "
                + "that would have been marked")
    }

    @Test("Another boot is told by the logs of the machine")
    func boots() {
        var evidence = EndEvidence(launch: launch { $0.bootID = Epitaph.ID() }, bootID: thisBoot)
        #expect(evidence.verdict.end == .lostToReboot)
        evidence.restart = .withoutShutdown(start)
        #expect(evidence.verdict.end == .powerLoss)
        #expect(evidence.verdict.evidence?.contains("2023-11-14T22:13:20Z") == true)
        evidence.isReplaced = true
        #expect(evidence.verdict.end == .exec)
    }
}
