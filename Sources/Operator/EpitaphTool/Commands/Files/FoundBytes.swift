// SPDX-License-Identifier: Apache-2.0

import EpitaphCores
import EpitaphSymbolStore
import EpitaphSystem
import EpitaphValues

struct FoundBytes {
    let bytes: ByteSlice
    /// Set for a core, whose `bytes` are only the beginning.
    let core: CoreOnDisk?
    /// Why decompression stopped early, as a clause.
    private let expansionProblem: String?
    let path: String
    /// Whether it is a report of the database.
    let isReport: Bool
    /// Nil of a file.
    var report: Epitaph.ID?
    /// Files that the bytes name are read with this user's rights; nil for this process's own.
    let owner: FileSystemIdentity?
    /// Whose file it is, or whose database; nil if that is not known.
    let ownerID: UInt32?
    /// When the file was written where it is; nil if that is not known.
    let written: Timestamp?

    init(_ bytes: ByteSlice, ofReportAt path: String, owner: FileSystemIdentity? = nil) {
        self.bytes = bytes
        self.path = path
        self.owner = owner
        ownerID = owner?.userID
        written = nil
        isReport = true
        core = nil
        expansionProblem = nil
    }

    /// - Parameter path: a symbolic link is followed.
    init(reading path: String) throws(CommandFailure) {
        let file = try orReason(
            .notFound, "cannot open \(path)", FileDescriptor.openForReading(realPath(of: path)))
        try self.init(reading: file, path: path)
    }

    /// - Parameter path: for messages.
    init(reading file: FileDescriptor, path: String) throws(CommandFailure) {
        let status = try? file.fileStatus()
        ownerID = status?.ownerID
        written = status?.modificationTime
        var file = file
        let expanded = try Self.expanded(file, path)
        if let expanded { file = expanded.descriptor }
        expansionProblem = expanded?.problem
        let contents = file
        let core = try orReason(
            .notFound, "cannot open \(path)", CoreOnDisk(contents, problem: expanded?.problem))
        if let core {
            bytes = core.head
        } else {
            bytes = try orReason(.notFound, "cannot open \(path)", FileBytes.contents(of: contents))
        }
        self.core = core
        self.path = path
        owner = nil
        isReport = false
    }

    /// The decompressed file; nil if it is not compressed.
    private static func expanded(
        _ file: FileDescriptor, _ path: String
    ) throws(CommandFailure) -> ExpandedFile? {
        guard let head = try? CoreOnDisk.head(of: file), let compression = Compression(head: head)
        else { return nil }
        return try orFail(
            saying: "\(path) cannot be read: ", ExpandedFile(file, compression: compression))
    }

    /// Reports unreadable bytes that were replaced by zeros.
    func complainIfCut(_ output: Output) {
        for sentence in cutSentences { output.complain(sentence) }
    }

    var cutSentences: [String] {
        // A core has this in its damage.
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

    /// The command byte of a map's start: docs/dump-format.md.
    var isIntermediateDump: Bool { bytes.byte(at: 0) == 0x06 }

    /// For reading files that the bytes name.
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
