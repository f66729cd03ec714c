// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// Opens only regular files: a FIFO may block for ever, and opening a device may have effects.
enum FoundFile {
    case regular(FileDescriptor, FileStatus)
    case missing
    case somethingElse

    enum Access {
        case reading, writing
    }
}

extension Directory {
    /// - Parameter isKnownAsFile: whether a listing has just said that it is a regular file.
    func find(
        _ name: String, for access: FoundFile.Access, isKnownAsFile: Bool = false
    ) throws(SystemError) -> FoundFile {
        if !isKnownAsFile {
            guard let status = try status(of: name) else { return .missing }
            guard status.kind == .regular else { return .somethingElse }
        }
        let file: FileDescriptor
        do throws(SystemError) {
            switch access {
            case .reading: file = try openForReading(name)
            case .writing: file = try openForWriting(name, creating: false)
            }
        } catch {
            if error.isNotFound { return .missing }
            if error.isSymbolicLink { return .somethingElse }
            throw error
        }
        // Something else may have taken its place meanwhile.
        let status = try file.fileStatus()
        return status.kind == .regular ? .regular(file, status) : .somethingElse
    }

    /// Moves a file to a free name, `wanted` or with a number. Returns the new name.
    func move(
        _ name: String, aside wanted: String, in other: Directory
    ) throws(SystemError) -> String {
        var free = wanted
        for number in 2..<1000 {
            guard try other.status(of: free) != nil else { break }
            free = "\(wanted)-\(number)"
        }
        try rename(name, to: other, as: free)
        return free
    }
}
