// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphIntermediateDump
import EpitaphSystem
import EpitaphValues

/// The fate of a dump taken in case the process would be killed because memory ran out.
enum ProvisionalFate: Equatable {
    case report(ReportKind)
    case discard

    /// - Parameters:
    ///   - end: how the process ended; nil if it crashed, which has its own report.
    ///   - evidence: with an active memory warning it is enough that some process of the machine
    ///     was killed: the report then only says that memory was scarce.
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

/// Provisional dumps, decided while the files that show how a process ended are there.
struct ProvisionalDumps {
    let directory: Directory
    let candidates: [Candidate]
    let judge: OwnerJudge
    let isOwn: (Candidate) -> Bool
    /// How a process without a crash ended, by the evidence on this machine.
    let end: (LaunchRecord?) -> LaunchEnd
    let evidence: (LaunchRecord?) -> OutOfMemoryEvidence

    private struct ProcessKey: Hashable {
        let processID: Int32
        let startTicks: UInt64
        let bootID: Epitaph.ID

        init?(_ launch: LaunchRecord?) {
            guard let processID = launch?.processID, let startTicks = launch?.startTicks,
                let bootID = launch?.bootID
            else { return nil }
            (self.processID, self.startTicks, self.bootID) = (processID, startTicks, bootID)
        }
    }

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

    /// How the process ended, by its other files; nil if it crashed.
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
