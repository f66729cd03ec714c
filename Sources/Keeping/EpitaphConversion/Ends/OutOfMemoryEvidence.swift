// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphValues

enum OutOfMemoryEvidence: Sendable, Equatable {
    /// The kernel's log names the process.
    case certain(String)
    /// Since its start the kernel killed a process in its control group, or in one above.
    case likely(String)
    /// The kernel killed some process of the machine; nothing connects that with this one.
    case possible(String)
    case ruledOut(String)
    /// Nothing was recorded at the start, or nothing can be read now.
    case unknown

    var verdict: EndVerdict {
        switch self {
        case .certain(let evidence):
            EndVerdict(end: .outOfMemory(isCertain: true), evidence: evidence)
        case .likely(let evidence):
            EndVerdict(end: .outOfMemory(isCertain: false), evidence: evidence)
        case .possible(let evidence), .ruledOut(let evidence):
            EndVerdict(end: .killed, evidence: evidence)
        case .unknown: EndVerdict(end: .killed, evidence: nil)
        }
    }
}

/// `LAUNCH_OOM_KILLS` of a launch record.
struct OutOfMemoryCounts: Sendable, Equatable {
    struct Group: Sendable, Equatable {
        let path: String
        let kills: ControlGroupKills
    }

    var groups: [Group] = []
    /// For the whole machine.
    var kernelKills: UInt64?

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
            if words.count == 5, words[0] == "cgroup", let inode = UInt64(words[1]),
                let kills = UInt64(words[2]), let groupKills = UInt64(words[3])
            {
                groups.append(
                    Group(
                        path: String(words[4]),
                        kills: ControlGroupKills(
                            inode: inode, kills: kills, groupKills: groupKills)))
            } else if words.count == 2, words[0] == "kernel" {
                kernelKills = UInt64(words[1])
            }
        }
    }
}

struct OutOfMemoryJudge: Sendable {
    /// The pid namespace of process numbers in the kernel log: PROC_PID_INIT_INO, linux/proc_ns.h.
    static let firstNamespace: UInt64 = 0xefff_fffc

    var groupKills: @Sendable (_ path: String) -> ControlGroupKills?
    var kernelKills: @Sendable () -> UInt64?
    /// The kernel's messages with their times in microseconds after boot; nil if not permitted.
    var kernelLog: @Sendable () -> [KernelMessage]?
    var ticksPerSecond: UInt64 = 100

    /// For a process of this boot that ended without a mark.
    func evidence(for launch: LaunchRecord) -> OutOfMemoryEvidence {
        guard let text = launch.oomKills else { return .unknown }
        let counted = counts(since: OutOfMemoryCounts(text))
        switch counted {
        case .likely, .possible:
            guard let named = logEvidence(for: launch) else { return counted }
            return .certain(named)
        default: return counted
        }
    }

    private func counts(since start: OutOfMemoryCounts) -> OutOfMemoryEvidence {
        let kernelNow = kernelKills()
        if let then = start.kernelKills, let kernelNow, kernelNow == then {
            return .ruledOut(
                "the kernel has ended no process for want of memory since the launch started")
        }
        // The nearest group that still is the same: the group of a service is removed with it.
        for (place, group) in start.groups.enumerated() {
            guard let now = groupKills(group.path), now.inode == group.kills.inode else { continue }
            guard now.kills > group.kills.kills else {
                guard place == 0 else { break }
                return .ruledOut(
                    "no process of its control group \(group.path) was ended for want of memory")
            }
            let count = now.kills - group.kills.kills
            let processes = count == 1 ? "1 process" : "\(count) processes"
            let whose = place == 0 ? "its control group" : "the control group around its own,"
            return .likely(
                "\(processes) of \(whose) \(group.path) ended for want of memory since it started; "
                    + "whether it was one of them is not known")
        }
        guard let then = start.kernelKills, let kernelNow, kernelNow > then else { return .unknown }
        return .possible(
            "the kernel has ended \(kernelNow - then) of the machine's processes for want of "
                + "memory since the launch started; whether it was one of them is not known")
    }

    /// Finds mm/oom_kill.c's `Out of memory: Killed process 4711 (exampled) …` after its start.
    private func logEvidence(for launch: LaunchRecord) -> String? {
        guard launch.pidNamespace == Self.firstNamespace, let processID = launch.processID,
            let startTicks = launch.startTicks, startTicks > 0,
            let name = launch.executablePath?.lastPathComponent, let log = kernelLog()
        else { return nil }
        let start = startTicks.multipliedReportingOverflow(by: 1_000_000 / ticksPerSecond)
        guard !start.overflow else { return nil }
        // TASK_COMM_LEN of linux/sched.h: 15 bytes and a NUL.
        let comm = String(decoding: name.utf8.prefix(15), as: UTF8.self)
        let words = "Killed process \(processID) (\(comm))"
        let isNamed = log.contains {
            $0.microseconds >= start.partialValue && $0.text.has(words)
        }
        return isNamed ? "the kernel's log says: \(words)" : nil
    }
}

extension OutOfMemoryJudge {
    init(_ proc: ProcFileSystem, groups: ControlGroups = ControlGroups()) {
        groupKills = { groups.kills(in: $0) }
        kernelKills = { proc.outOfMemoryKills() }
        kernelLog = { KernelLog.messages() }
        ticksPerSecond = ProcFileSystem.ticksPerSecond
    }
}
