// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LinuxSystem
import ReportDatabase
import Snapshot

/// A dead owner's file without a crash, claimed. It goes once the history has the launch.
struct EndedLaunch {
    let candidate: Candidate
    /// Open, and locked until the file is gone.
    let file: FileDescriptor
    let launch: RecordedLaunch
    /// Its entry in the summary of the pass.
    let entryIndex: Int
}

extension RecordedLaunch {
    /// What a file of a launch says, and how it ended.
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
        displacedSignals = (record?.displacedHandlers ?? []).map(\.signal)
        hadMemoryWarning = record?.hadMemoryWarning ?? false
        isChild = record?.isChild == true || candidate.name.isHandedOut
        breadcrumbs = record?.breadcrumbFile
    }
}

extension Conversion {
    /// The launch that ended by the crash in this dump; nil for a live dump.
    func crashedLaunch(_ contents: DumpContents, lacksAttachments: Bool) -> RecordedLaunch? {
        if case .liveDump = contents { return nil }
        var launch = RecordedLaunch(
            candidate, contents.launch, end: .crashed(report: candidate.name.uuid))
        launch.lacksAttachments = lacksAttachments
        return launch
    }
}

extension OwnerJudge {
    /// Whether the process became another program, execve(2), and runs on: it has neither the file
    /// open nor its head mapped, which no program unmaps by accident. False where that is unknown,
    /// or the file has no head.
    func hasBecomeAnother(_ candidate: Candidate, _ launch: LaunchRecord?) -> Bool {
        guard let launch, (launch.headBytes ?? 0) > 0, let processID = launch.processID else {
            return false
        }
        return proc.usesFile(named: candidate.fileName, processID: processID) == false
    }
}
