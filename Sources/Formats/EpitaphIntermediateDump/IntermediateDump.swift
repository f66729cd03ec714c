// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import EpitaphValues

/// Reads the file that a dying process wrote. docs/dump-format.md describes the format.
package struct IntermediateDump: Sendable {
    package let tree: DumpTree
    package let architecture: Architecture
    package let contents: Contents

    package indirect enum Contents: Sendable {
        /// The process recorded at its start who it is, and has not crashed (yet).
        case launchRecordOnly(LaunchRecord)
        case crash(ProcessSnapshot)
    }

    /// The kind of dump, without decoding the crash.
    package enum Outline: Sendable {
        case launchRecordOnly(LaunchRecord)
        case crash(LaunchRecord?)
        case liveDump(LaunchRecord?)
    }

    /// The snapshot shares the memory of `bytes`; only files written in pieces are copied. Throws
    /// if nothing is readable; otherwise the snapshot's `damage` says what is missing.
    package init(_ bytes: ByteSlice) throws(IntermediateDumpError) {
        self.init(try Start(bytes))
    }

    package init(_ start: Start) {
        tree = start.tree
        architecture = start.architecture
        contents =
            switch start.outline {
            case .launchRecordOnly(let launch): .launchRecordOnly(launch)
            case .crash, .liveDump: .crash(SnapshotDecoder.decode(start.tree, start.architecture))
            }
    }

    package static func outline(
        of bytes: ByteSlice
    ) throws(IntermediateDumpError) -> Outline {
        try Start(bytes).outline
    }

    package var isComplete: Bool { tree.isComplete }

    /// Without a crash only the launch record, and damage unless the process ended cleanly.
    package var snapshot: ProcessSnapshot {
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

    package static func snapshot(
        from bytes: ByteSlice
    ) throws(IntermediateDumpError) -> ProcessSnapshot {
        try IntermediateDump(bytes).snapshot
    }
}

extension IntermediateDump {
    /// Known before anything else of a dump is decoded.
    package struct Start: Sendable {
        let tree: DumpTree
        let architecture: Architecture
        package let outline: Outline

        /// The files that the process wanted attached to its reports.
        package var attachments: [NamedFile] {
            var fields = FieldReader()
            return fields.attachments(tree.root)
        }

        package init(_ bytes: ByteSlice) throws(IntermediateDumpError) {
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
                .version, .architecture, .launchRecord, .cleanExit, .displacedHandlers, .endSignal,
                .endSignalSender, .endTime,
            ]
            let knownKeys = root.keys.filter { $0.name != nil }
            if !knownKeys.isSubset(of: launchKeys) {
                let launch = root.map(.launchRecord).map { fields.launchRecord($0) }
                // A crash begins with one of these, wherever it is cut.
                let isCrash =
                    knownKeys.contains(.signalException) || knownKeys.contains(.firstRecord)
                outline = isCrash ? .crash(launch) : .liveDump(launch)
            } else if let record = root.map(.launchRecord) {
                var launch = fields.launchRecord(record)
                launch.cleanExitTime = fields.date(.cleanExit, in: root)
                launch.displacedHandlers = fields.displacedHandlers(root)
                launch.endSignal = fields.integer(.endSignal, in: root)
                launch.endSignalSender = fields.integer(.endSignalSender, in: root)
                launch.endTime = fields.date(.endTime, in: root)
                outline = .launchRecordOnly(launch)
            } else {
                throw .nothingRecorded(byteCount: bytes.count)
            }
        }
    }
}
