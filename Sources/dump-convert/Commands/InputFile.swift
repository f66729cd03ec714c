// SPDX-License-Identifier: Apache-2.0

import Bytes
import IntermediateDump
import LinuxSystem
import Minidump
import Snapshot

/// A crash read from a file.
enum InputFile {
    case intermediateDump(IntermediateDump)
    case minidump(MinidumpContents)

    /// - Parameter path: as given by the user; a symbolic link is followed.
    init(reading path: String) throws(CommandFailure) {
        try self.init(FoundBytes(reading: path))
    }

    init(_ found: FoundBytes) throws(CommandFailure) {
        let path = found.path
        if found.isMinidump {
            do {
                self = .minidump(try MinidumpReader.read(found.bytes))
            } catch {
                throw CommandFailure(.incomplete, "\(path) cannot be read: \(error)")
            }
            return
        }
        guard found.isIntermediateDump || !found.isReport && found.bytes.isEmpty else {
            let kind = FileKind.words(found.bytes)
            throw CommandFailure(
                .incomplete,
                found.isReport
                    ? "the report \(path) holds no minidump: it is \(kind); \"dump-convert list\" "
                        + "shows the others, and deleting the file removes the report"
                    : "\(path) is neither a minidump nor an intermediate dump: it is \(kind)")
        }
        self = .intermediateDump(try Self.intermediateDump(found.bytes, path))
    }

    var snapshot: ProcessSnapshot {
        switch self {
        case .intermediateDump(let dump): dump.snapshot
        case .minidump(let minidump): Self.snapshot(of: minidump)
        }
    }

    /// A minidump contains the ids of its report and bundle, and nothing else about the launch.
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
        do {
            return try IntermediateDump(bytes)
        } catch {
            throw CommandFailure(.incomplete, "\(path) cannot be read. \(error)")
        }
    }
}
