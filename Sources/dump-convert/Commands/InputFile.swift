// SPDX-License-Identifier: Apache-2.0

import Bytes
import IntermediateDump
import LinuxSystem
import Minidump
import Snapshot

/// A file with a crash in it, read.
enum InputFile {
    case intermediateDump(IntermediateDump)
    case minidump(MinidumpContents)

    /// - Parameter path: as a person named it; a symbolic link is followed.
    init(reading path: String) throws(CommandFailure) {
        try self.init(Self.contents(of: path), of: path)
    }

    /// - Parameter path: where the bytes are from, for sentences.
    init(_ bytes: ByteSlice, of path: String) throws(CommandFailure) {
        // MINIDUMP_HEADER.Signature, minidumpapiset.h; an intermediate dump begins with 0x06.
        guard bytes.slice(from: 0, length: 4) == ByteSlice(Array("MDMP".utf8)) else {
            self = .intermediateDump(try Self.intermediateDump(bytes, path))
            return
        }
        do {
            self = .minidump(try MinidumpReader.read(bytes))
        } catch {
            throw CommandFailure(.incomplete, "\(path) cannot be read: \(error)")
        }
    }

    static func intermediateDump(
        reading path: String
    ) throws(CommandFailure) -> IntermediateDump {
        try intermediateDump(contents(of: path), path)
    }

    var snapshot: ProcessSnapshot {
        switch self {
        case .intermediateDump(let dump): dump.snapshot
        case .minidump(let minidump): Self.snapshot(of: minidump)
        }
    }

    /// A minidump knows its report's id and the bundle's, and nothing else of the launch.
    private static func snapshot(of minidump: MinidumpContents) -> ProcessSnapshot {
        var snapshot = minidump.snapshot
        guard let id = minidump.reportID else { return snapshot }
        var launch = snapshot.launch ?? LaunchRecord()
        launch.uuid = id
        snapshot.launch = launch
        return snapshot
    }

    private static func contents(of path: String) throws(CommandFailure) -> ByteSlice {
        do {
            return try MappedFile.contents(of: realPath(of: path))
        } catch {
            throw CommandFailure(.notFound, "cannot open \(path): \(error.reason)")
        }
    }

    private static func intermediateDump(
        _ bytes: ByteSlice, _ path: String
    ) throws(CommandFailure) -> IntermediateDump {
        do {
            return try IntermediateDump(bytes)
        } catch {
            throw CommandFailure(.incomplete, "\(path) cannot be read. \(error)")
        }
    }
}
