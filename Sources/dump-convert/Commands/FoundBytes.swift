// SPDX-License-Identifier: Apache-2.0

import Bytes
import LinuxSystem

/// The bytes of an operand of the command line, not interpreted yet.
struct FoundBytes {
    let bytes: ByteSlice
    /// Where they come from, for messages.
    let path: String
    /// Whether they are filed as a report of the database.
    let isReport: Bool
    /// Whose rights are used to read files that they name; nil for this process's own.
    let owner: FileSystemIdentity?

    init(_ bytes: ByteSlice, ofReportAt path: String, owner: FileSystemIdentity? = nil) {
        self.bytes = bytes
        self.path = path
        self.owner = owner
        isReport = true
    }

    /// - Parameter path: as given by the user; a symbolic link is followed.
    init(reading path: String) throws(CommandFailure) {
        do {
            bytes = try FileBytes.contents(of: realPath(of: path))
        } catch {
            throw CommandFailure(.notFound, "cannot open \(path): \(error.reason)")
        }
        self.path = path
        owner = nil
        isReport = false
    }

    /// Reports that some bytes could not be read and were replaced by zeros.
    func complainIfCut(_ output: Output) {
        guard let problem = bytes.readProblem else { return }
        output.complain("\(path) was not read in full; the rest counts as zeros: \(problem)")
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
