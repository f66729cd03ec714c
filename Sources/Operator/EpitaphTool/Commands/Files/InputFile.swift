// SPDX-License-Identifier: Apache-2.0

import EpitaphCores
import EpitaphIntermediateDump
import EpitaphMinidump
import EpitaphSystem
import EpitaphValues

enum InputFile {
    case intermediateDump(IntermediateDump)
    case minidump(MinidumpContents)
    case core(ProcessSnapshot)

    init(_ found: FoundBytes) throws(CommandFailure) {
        let path = found.path
        if let core = found.core {
            self = .core(
                try orFail(saying: "\(path) cannot be read: ", CoreReader(core).snapshot(core)))
            return
        }
        if found.isMinidump {
            self = .minidump(
                try orFail(saying: "\(path) cannot be read: ", MinidumpReader.read(found.bytes)))
            return
        }
        guard found.isIntermediateDump || !found.isReport && found.bytes.isEmpty else {
            let kind = FileKind.words(found.bytes)
            throw CommandFailure(
                .incomplete,
                found.isReport
                    ? "the report \(path) holds no minidump: it is \(kind); \"\(ProgramDescription.name) list\" "
                        + "shows the others, and deleting the file removes the report"
                    : "\(path) is neither a minidump, an intermediate dump nor a core file: it is \(kind)"
            )
        }
        self = .intermediateDump(try Self.intermediateDump(found.bytes, path))
    }

    var snapshot: ProcessSnapshot {
        switch self {
        case .intermediateDump(let dump): dump.snapshot
        case .minidump(let minidump): Self.snapshot(of: minidump)
        case .core(let snapshot): snapshot
        }
    }

    /// A minidump has the ids of its report and bundle, and nothing else about the launch.
    private static func snapshot(of minidump: MinidumpContents) -> ProcessSnapshot {
        var snapshot = minidump.snapshot
        guard let id = minidump.reportID else { return snapshot }
        var launch = snapshot.launch ?? LaunchRecord()
        launch.uuid = id
        snapshot.launch = launch
        return snapshot
    }

    static func intermediateDump(
        _ bytes: ByteSlice, _ path: String
    ) throws(CommandFailure) -> IntermediateDump {
        try orFail(saying: "\(path) cannot be read. ", IntermediateDump(bytes))
    }
}
