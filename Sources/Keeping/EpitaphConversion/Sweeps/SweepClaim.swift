// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem

extension SweepPass {
    enum Claim {
        case taken
        /// Another process has it, or put another file in its place.
        case refused
        /// Another sweep was quicker, or it was removed.
        case vanished
    }

    /// Takes flock(2) on the file while it is open, and checks the name. Without such locks two
    /// sweeps may take the same dump; only one of them writes its report.
    func claim(
        _ candidate: Candidate, _ file: FileDescriptor
    ) throws(SystemError) -> Claim {
        let isLocked = try unless(\.isUnsupported, file.tryLocking(.exclusive))
        guard isLocked ?? true else { return .refused }
        guard let status = try directory.status(of: candidate.fileName) else { return .vanished }
        return try status.identity == file.fileStatus().identity ? .taken : .refused
    }

    func contents(of file: FileDescriptor) throws(SystemError) -> DumpContents {
        try file.fileStatus().sizeBytes > DumpSweep.mostDumpBytes
            ? .unusable(DumpSweep.tooLarge)
            : sweep.converter.contents(of: try FileBytes.contents(of: file))
    }
}

extension DumpOutcome {
    /// The end of a launch whose dump had this outcome; nil if the outcome is not an end.
    var crash: LaunchEnd? {
        switch self {
        case .converted(let id): .crashed(report: id)
        case .failed, .quarantined: .crashed(report: nil)
        default: nil
        }
    }
}
