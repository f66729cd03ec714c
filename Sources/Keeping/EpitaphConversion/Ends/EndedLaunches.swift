// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem
import EpitaphValues

/// A claimed file of a dead process without a crash. It is removed once the history has the launch.
struct EndedLaunch {
    let candidate: Candidate
    /// Open, and locked until the file is removed.
    let file: FileDescriptor
    let launch: RecordedLaunch
    /// Its index in the summary of the sweep.
    let entryIndex: Int
}

extension RecordedLaunch {
    init(
        _ candidate: Candidate, _ record: LaunchRecord?, end: LaunchEnd, evidence: String? = nil
    ) {
        let process = ProcessIdentity(
            processID: record?.processID ?? 0, startTicks: record?.startTicks ?? 0,
            pidNamespace: record?.pidNamespace ?? 0, bootID: record?.bootID)
        let written = candidate.status.modificationTime
        self.init(
            id: candidate.name.uuid, process: process, start: record?.time, end: end,
            lastSign: record?.cleanExitTime ?? record?.endTime ?? written, evidence: evidence)
        displacedSignals = (record?.displacedHandlers ?? []).map { Signal(rawValue: $0.signal) }
        hadMemoryWarning = record?.hadMemoryWarning ?? false
        isChild = record?.isChild == true || candidate.name.isHandedOut
        breadcrumbs = record?.breadcrumbFile
    }
}

extension Conversion {
    /// The launch that ended with the crash in this dump; nil for a live dump.
    func crashedLaunch(_ contents: DumpContents, lacksAttachments: Bool) -> RecordedLaunch? {
        if case .liveDump = contents { return nil }
        var launch = RecordedLaunch(
            candidate, contents.launch, end: .crashed(report: candidate.name.uuid))
        launch.lacksAttachments = lacksAttachments
        return launch
    }
}

extension OwnerJudge {
    /// Whether the process is running another program after execve(2): it neither has the file open
    /// nor its head mapped. False if unknown, or if the file has no head.
    func hasBecomeAnother(_ candidate: Candidate, _ launch: LaunchRecord?) -> Bool {
        guard let launch, (launch.headBytes ?? 0) > 0, let processID = launch.processID else {
            return false
        }
        return proc.usesFile(named: candidate.fileName, processID: processID) == false
    }
}

extension SweepPass {
    func verdict(on launch: LaunchRecord?, isReplaced: Bool) -> EndVerdict {
        var evidence = EndEvidence(launch: launch, bootID: judge.bootID, isReplaced: isReplaced)
        // Read only the evidence that matters.
        switch LaunchEnd(of: launch, bootID: judge.bootID) {
        case .killed where !isReplaced:
            if let launch { evidence.outOfMemory = sweep.outOfMemory.evidence(for: launch) }
        case .lostToReboot: evidence.restart = sweep.machineLogs.restart(after: launch?.time)
        default: break
        }
        return evidence.verdict
    }
}
