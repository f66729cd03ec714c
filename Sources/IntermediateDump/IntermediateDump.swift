// SPDX-License-Identifier: Apache-2.0

import Bytes
import CDumpFormat
import Snapshot

/// What a dying process wrote about itself, read back. The format is described in
/// docs/dump-format.md.
public struct IntermediateDump: Sendable {
    public let tree: DumpTree
    public let architecture: Architecture
    public let contents: Contents

    public enum Contents: Sendable {
        /// The process wrote down at its start who it is, and did not crash (yet).
        case launchRecordOnly(LaunchRecord)
        /// The handler ran, for a crash or for a live dump; a live dump's snapshot may have no
        /// exception.
        case crash(ProcessSnapshot)
    }

    /// What a dump is, without its crash decoded.
    public enum Outline: Sendable {
        case launchRecordOnly(LaunchRecord)
        /// Nil if the launch record is missing.
        case crash(LaunchRecord?)
    }

    /// Reads a dump. Its snapshot shares the memory of `bytes`; only files that were written in
    /// pieces are copied.
    ///
    /// - Throws: when nothing can be made of the bytes. Otherwise what is missing is in the
    ///   snapshot's `damage`.
    public init(_ bytes: ByteSlice) throws(IntermediateDumpError) {
        let start = try Start(bytes)
        tree = start.tree
        architecture = start.architecture
        contents =
            switch start.outline {
            case .launchRecordOnly(let launch): .launchRecordOnly(launch)
            case .crash: .crash(SnapshotDecoder.decode(start.tree, start.architecture))
            }
    }

    /// Reads a dump's structure and launch record, and decodes nothing else.
    ///
    /// - Throws: as `init`.
    public static func outline(
        of bytes: ByteSlice
    ) throws(IntermediateDumpError) -> Outline {
        try Start(bytes).outline
    }

    /// The files that the program wanted to go with its reports, and nothing else of the dump; none
    /// where nothing can be made of the bytes.
    public static func attachments(of bytes: ByteSlice) -> [NamedFile] {
        guard let start = try? Start(bytes) else { return [] }
        var fields = FieldReader()
        return fields.attachments(start.tree.root)
    }

    /// True when the handler got to the dump's end, so that nothing it meant to write is missing.
    public var isComplete: Bool { tree.isComplete }

    /// The crashed process. Of a dump without a crash: its launch record alone, and, unless it says
    /// that the process ended well, that the dump ends there.
    public var snapshot: ProcessSnapshot {
        switch contents {
        case .crash(let snapshot): return snapshot
        case .launchRecordOnly(let record):
            var snapshot = ProcessSnapshot(architecture: architecture)
            snapshot.launch = record
            snapshot.process.id = record.processID
            snapshot.damage = tree.damage
            return snapshot
        }
    }

    /// Reads a dump and keeps the snapshot alone.
    public static func snapshot(
        from bytes: ByteSlice
    ) throws(IntermediateDumpError) -> ProcessSnapshot {
        try IntermediateDump(bytes).snapshot
    }
}

/// What has to be known before anything else of a dump is decoded.
private struct Start {
    let tree: DumpTree
    let architecture: Architecture
    let outline: IntermediateDump.Outline

    init(_ bytes: ByteSlice) throws(IntermediateDumpError) {
        guard let firstByte = bytes.byte(at: 0) else { throw .empty }
        guard firstByte == EPITAPH_COMMAND_ROOT_MAP_START.byte else {
            throw .notADump(firstByte: firstByte)
        }
        tree = DumpTree(reading: bytes)
        let root = tree.root
        var fields = FieldReader()
        guard let version = fields.integer(.version, in: root, as: UInt8.self) else {
            throw .nothingRecorded(byteCount: bytes.count)
        }
        guard version == UInt8(EPITAPH_DUMP_VERSION) else { throw .unsupportedVersion(version) }
        guard let machine = fields.integer(.architecture, in: root, as: UInt16.self) else {
            throw .nothingRecorded(byteCount: bytes.count)
        }
        guard let architecture = Architecture(rawValue: machine), architecture.isCaptured else {
            throw .unsupportedArchitecture(machine)
        }
        self.architecture = architecture

        let launchKeys: Set<DumpKey> = [
            .version, .architecture, .launchRecord, .cleanExit, .displacedHandlers,
        ]
        let knownKeys = root.keys.filter { $0.name != nil }
        if !knownKeys.isSubset(of: launchKeys) {
            outline = .crash(root.map(.launchRecord).map { fields.launchRecord($0) })
        } else if let record = root.map(.launchRecord) {
            var launch = fields.launchRecord(record)
            launch.cleanExitTime = fields.date(.cleanExit, in: root)
            launch.displacedHandlers = fields.displacedHandlers(root)
            outline = .launchRecordOnly(launch)
        } else {
            throw .nothingRecorded(byteCount: bytes.count)
        }
    }
}
