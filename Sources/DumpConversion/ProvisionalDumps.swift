// SPDX-License-Identifier: Apache-2.0

import Bytes
import FoundationEssentials
import IntermediateDump
import LinuxSystem
import ReportDatabase
import Snapshot

/// What becomes of a dump that was taken for the case that the process would be killed for want of
/// memory.
enum ProvisionalFate: Equatable {
    /// It is a report of this kind.
    case report(ReportKind)
    /// The process ended otherwise, and nobody needs it.
    case discard

    /// - Parameters:
    ///   - end: how the process ended; nil where it crashed, which is a report of its own.
    ///   - evidence: whether memory was the reason. Beside a warning that was never over, a process
    ///     of the machine that was killed for it is enough for a report, which says no more than
    ///     that memory was scarce.
    init(_ end: LaunchEnd?, _ evidence: @autoclosure () -> OutOfMemoryEvidence) {
        switch end {
        case .outOfMemory(isCertain: true): self = .report(.outOfMemory)
        case .outOfMemory(isCertain: false): self = .report(.memoryWarning)
        case .killed:
            if case .possible = evidence() {
                self = .report(.memoryWarning)
            } else {
                self = .discard
            }
        default: self = .discard
        }
    }
}

/// The provisional dumps among the files of a pass, settled before the others: what else a process
/// has left tells how it ended, and is gone afterwards.
struct ProvisionalDumps {
    let directory: Directory
    let candidates: [Candidate]
    let judge: OwnerJudge
    /// Whether a file is one that this process uses.
    let isOwn: (Candidate) -> Bool
    /// How a process without a crash ended, by what the machine knows.
    let end: (LaunchRecord?) -> LaunchEnd
    /// Whether it may have been killed for want of memory.
    let evidence: (LaunchRecord?) -> OutOfMemoryEvidence

    /// What identifies a process on this machine, across the files that it wrote.
    private struct ProcessKey: Hashable {
        let processID: Int32
        let startTicks: UInt64
        let bootID: UUID

        init?(_ launch: LaunchRecord?) {
            guard let processID = launch?.processID, let startTicks = launch?.startTicks,
                let bootID = launch?.bootID
            else { return nil }
            (self.processID, self.startTicks, self.bootID) = (processID, startTicks, bootID)
        }
    }

    /// What becomes of those whose process is dead, by file name.
    func fates() -> [String: ProvisionalFate] {
        var fates: [String: ProvisionalFate] = [:]
        for candidate in candidates where candidate.name.stage == .locked && !isOwn(candidate) {
            guard candidate.status.kind == .regular,
                let file = try? directory.openForReading(candidate.fileName),
                judge.holder(of: file) == nil, let bytes = bytes(of: file),
                IntermediateDump.request(of: bytes)?.isProvisional == true,
                case .liveDump(let launch) = try? IntermediateDump.outline(of: bytes)
            else { continue }
            if case .alive = judge.liveness(of: candidate, file, launch: launch) { continue }
            fates[candidate.fileName] = ProvisionalFate(
                end(of: launch, besides: candidate), evidence(launch))
        }
        return fates
    }

    private func bytes(of file: FileDescriptor) -> ByteSlice? {
        guard let size = try? file.fileStatus().sizeBytes, size > 0,
            size <= DumpSweep.mostDumpBytes
        else { return nil }
        return try? FileBytes.contents(of: file)
    }

    /// How the process ended, by what else there is of it; nil where it crashed.
    private func end(of launch: LaunchRecord?, besides provisional: Candidate) -> LaunchEnd? {
        guard let key = ProcessKey(launch) else { return .unknown }
        for other in candidates where other.fileName != provisional.fileName {
            guard other.name.bundleID == provisional.name.bundleID, !isOwn(other),
                other.status.kind == .regular,
                let file = try? directory.openForReading(other.fileName),
                let bytes = bytes(of: file),
                let outline = try? IntermediateDump.outline(of: bytes)
            else { continue }
            switch outline {
            case .launchRecordOnly(let armed) where ProcessKey(armed) == key:
                return end(armed)
            case .crash(let crashed) where ProcessKey(crashed) == key: return nil
            default: continue
            }
        }
        return end(launch)
    }
}
