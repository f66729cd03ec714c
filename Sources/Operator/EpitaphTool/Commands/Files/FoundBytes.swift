// SPDX-License-Identifier: Apache-2.0

import EpitaphCores
import EpitaphSymbolStore
import EpitaphSystem
import EpitaphValues

/// The bytes of an operand of the command line, not interpreted yet.
struct FoundBytes {
    let bytes: ByteSlice
    /// The file, if it is a core: `bytes` are only its beginning.
    let core: CoreOnDisk?
    /// Why a compressed file was not read to its end, as a clause.
    private let expansionProblem: String?
    /// Where they come from, for messages.
    let path: String
    /// Whether they are filed as a report of the database.
    let isReport: Bool
    /// With whose rights the files they name are read; nil for this process's own.
    let owner: FileSystemIdentity?

    init(_ bytes: ByteSlice, ofReportAt path: String, owner: FileSystemIdentity? = nil) {
        self.bytes = bytes
        self.path = path
        self.owner = owner
        isReport = true
        core = nil
        expansionProblem = nil
    }

    /// - Parameter path: as given by the user; a symbolic link is followed.
    init(reading path: String) throws(CommandFailure) {
        let file = try Self.trying(path) { () throws(SystemError) in
            try FileDescriptor.openForReading(realPath(of: path))
        }
        try self.init(reading: file, path: path)
    }

    /// - Parameters:
    ///   - file: open for reading.
    ///   - path: what it is called, for messages.
    init(reading file: FileDescriptor, path: String) throws(CommandFailure) {
        var file = file
        let expanded = try Self.expanded(file, path)
        if let expanded { file = expanded.descriptor }
        expansionProblem = expanded?.problem
        let contents = file
        let core = try Self.trying(path) { () throws(SystemError) in
            try CoreOnDisk(contents, problem: expanded?.problem)
        }
        if let core {
            bytes = core.head
        } else {
            bytes = try Self.trying(path) { () throws(SystemError) in
                try FileBytes.contents(of: contents)
            }
        }
        self.core = core
        self.path = path
        owner = nil
        isReport = false
    }

    private static func trying<Value>(
        _ path: String, _ body: () throws(SystemError) -> Value
    ) throws(CommandFailure) -> Value {
        do {
            return try body()
        } catch {
            throw CommandFailure(.notFound, "cannot open \(path): \(error.reason)")
        }
    }

    /// What a compressed file holds; nil for one that is not compressed.
    private static func expanded(
        _ file: FileDescriptor, _ path: String
    ) throws(CommandFailure) -> ExpandedFile? {
        guard let head = try? CoreOnDisk.head(of: file), let compression = Compression(head: head)
        else { return nil }
        do {
            return try ExpandedFile(file, compression: compression)
        } catch {
            throw CommandFailure(.incomplete, "\(path) cannot be read: \(error)")
        }
    }

    /// Reports that some bytes could not be read and were replaced by zeros.
    func complainIfCut(_ output: Output) {
        for sentence in cutSentences { output.complain(sentence) }
    }

    /// Why some bytes are zeros instead of what they were.
    var cutSentences: [String] {
        // A core that was not read in full says so in its damage.
        guard core == nil else { return [] }
        return [
            expansionProblem.map { "\(path) was not read in full: \($0)" },
            bytes.readProblem.map {
                "\(path) was not read in full; the rest counts as zeros: \($0)"
            },
        ].compactMap(\.self)
    }

    /// MINIDUMP_HEADER.Signature, minidumpapiset.h.
    var isMinidump: Bool { bytes.slice(from: 0, length: 4) == ByteSlice(Array("MDMP".utf8)) }

    /// The command byte of a map's start, docs/dump-format.md.
    var isIntermediateDump: Bool { bytes.byte(at: 0) == 0x06 }

    /// Reads files that the bytes name.
    func withOwnersRights<Value>(_ body: () -> Value) throws(CommandFailure) -> Value {
        guard let owner else { return body() }
        do throws(SystemError) {
            switch try owner.during(body) {
            case .success(let value): return value
            }
        } catch {
            throw CommandFailure(.incomplete, "\(path) cannot be shown: \(error)")
        }
    }
}
