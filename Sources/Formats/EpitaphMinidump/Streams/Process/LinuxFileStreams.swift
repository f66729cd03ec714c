// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Streams with a file of the kernel or the system, byte for byte.
enum LinuxFileStreams {
    private struct Row: Sendable {
        let type: StreamType
        let get: @Sendable (SystemFiles) -> ByteSlice?
        let set: @Sendable (inout SystemFiles, ByteSlice) -> Void
    }

    /// In directory order. rust-minidump, too, reads os-release in the release stream.
    private static let table = [
        Row(type: .linuxMaps, get: { $0.maps }, set: { $0.maps = $1 }),
        Row(type: .linuxCPUInfo, get: { $0.cpuinfo }, set: { $0.cpuinfo = $1 }),
        Row(type: .linuxProcessStatus, get: { $0.status }, set: { $0.status = $1 }),
        Row(type: .linuxRelease, get: { $0.osRelease }, set: { $0.osRelease = $1 }),
        Row(type: .linuxAuxiliaryVector, get: { $0.auxv }, set: { $0.auxv = $1 }),
        Row(type: .linuxLimits, get: { $0.limits }, set: { $0.limits = $1 }),
    ]

    static func contents(of files: SystemFiles) -> [(type: StreamType, bytes: ByteSlice)] {
        table.compactMap { row in row.get(files).map { (row.type, $0) } }
    }

    static func read(from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot) {
        for row in table {
            let limit = row.type == .linuxMaps ? mapsByteLimit : byteLimit
            if let bytes = bounded(row.type, limit, &file) { row.set(&snapshot.files, bytes) }
        }
        snapshot.commandLine = bounded(.linuxCommandLine, byteLimit, &file)
        if let environment = bounded(.linuxEnvironment, byteLimit, &file) {
            snapshot.environment = environment.array
                .split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        }
        if let status = snapshot.files.status { readStatus(status, into: &snapshot.process) }
        guard let auxv = snapshot.files.auxv else { return }
        if snapshot.architecture.has32BitPointers {
            readAuxiliaryVector(auxv, of: UInt32.self, into: &snapshot.system)
        } else {
            readAuxiliaryVector(auxv, of: UInt64.self, into: &snapshot.system)
        }
    }

    /// A stream's bytes, at most as many as any of the kernel's files has.
    private static func bounded(
        _ type: StreamType, _ limit: Int, _ file: inout MinidumpFile
    ) -> ByteSlice? {
        guard let bytes = file.stream(type) else { return nil }
        if bytes.count > limit {
            file.note("\(type)", "it has \(bytes.count) bytes; \(limit) are read")
        }
        return bytes.slice(from: 0, length: limit)
    }

    private static let byteLimit = 1 << 20
    private static let mapsByteLimit = 32 << 20

    /// Tgid, PPid, real Uid, proc(5). Breakpad's is the crashing thread's, whose Pid is its own.
    private static func readStatus(_ status: ByteSlice, into process: inout ProcessFacts) {
        // The kernel writes about 1,500 bytes.
        let text = status.slice(from: 0, length: 65_536).text
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.split { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }
            guard words.count >= 2 else { continue }
            let value = Substring(words[1])
            switch Substring(words[0]) {
            case "Tgid:", "Pid:": process.id = process.id ?? Int32(value)
            case "PPid:": process.parentID = Int32(value)
            case "Uid:": process.userID = UInt32(value)
            default: break
            }
        }
    }

    /// AT_PAGESZ, AT_HWCAP and AT_HWCAP2, getauxval(3); pairs of words.
    private static func readAuxiliaryVector<Word: FixedWidthInteger & UnsignedInteger>(
        _ auxv: ByteSlice, of word: Word.Type, into system: inout SystemFacts
    ) {
        var cursor = ByteCursor(auxv)
        while let type = try? cursor.read(word), type != 0,
            let value = (try? cursor.read(word)).map({ UInt64($0) })
        {
            switch type {
            case 6: system.pageSize = value
            case 16: system.hardwareCapabilities = value
            case 26: system.hardwareCapabilities2 = value
            default: break
            }
        }
    }
}
