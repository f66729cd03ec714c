// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// Gathers the evidence about owners of locked files; `OwnerEvidence` draws the conclusion.
struct OwnerJudge {
    let proc: ProcFileSystem
    let now: Timestamp
    let ownBundleID: String?
    let ownProcessID: Int32
    let bootID: Epitaph.ID?
    private let pidNamespace: UInt64?

    init(proc: ProcFileSystem, now: Timestamp, ownBundleID: String?) {
        self.proc = proc
        self.now = now
        self.ownBundleID = ownBundleID
        ownProcessID = ProcFileSystem.ownProcessID
        bootID = try? proc.bootID()
        pidNamespace = try? proc.pidNamespace()
    }

    /// The byte behind is for children that may inherit it (`epitaph_dump_file_bequeath`).
    private static let ownersPart = 0..<(1 << 62)

    /// The quick check: with a held record lock the file need not be read.
    func holder(of file: FileDescriptor) -> OwnerLiveness.Reason? {
        guard case .held(let processID) = lock(on: file) else { return nil }
        return .holdsLock(processID: processID)
    }

    /// A child that may still write its own crash into the file, which has none yet.
    func heir(of file: FileDescriptor, _ contents: DumpContents) -> OwnerLiveness.Reason? {
        switch contents {
        case .crash, .liveDump, .unusable: return nil
        case .empty, .launchRecord: break
        }
        guard let holder = (try? RecordLock.holder(of: file)) ?? nil else { return nil }
        return .holdsLock(processID: holder.processID)
    }

    func liveness(
        of candidate: Candidate, _ file: FileDescriptor, launch: LaunchRecord?
    ) -> OwnerLiveness {
        OwnerEvidence(
            lock: lock(on: file), launch: launch,
            processState: launch?.processID.map { proc.state(of: $0) } ?? .unknown,
            bootID: bootID, pidNamespace: pidNamespace, ownProcessID: ownProcessID,
            ageSeconds: now.seconds(since: candidate.status.modificationTime),
            isOwnBundle: candidate.name.bundleID == ownBundleID
        ).liveness
    }

    private func lock(on file: FileDescriptor) -> OwnerEvidence.Lock {
        do throws(SystemError) {
            guard let holder = try RecordLock.holder(of: file, bytes: Self.ownersPart) else {
                return .free
            }
            return .held(processID: holder.processID)
        } catch {
            // For any reason, it is unknown whether a process holds it.
            return .unavailable
        }
    }
}
