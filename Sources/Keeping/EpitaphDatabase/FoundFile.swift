// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// What a name in the database refers to. Only regular files are ever opened: just opening a FIFO
/// can wait for ever, and opening a device can have effects.
enum FoundFile {
    case regular(FileDescriptor)
    case missing
    /// A directory, a symbolic link, a FIFO, a socket or a device.
    case somethingElse

    enum Access {
        case reading, writing
    }
}

extension Directory {
    func find(_ name: String, for access: FoundFile.Access) throws(SystemError) -> FoundFile {
        guard let status = try status(of: name) else { return .missing }
        guard status.kind == .regular else { return .somethingElse }
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
        // Something else may have taken its place between the two calls.
        return try file.fileStatus().kind == .regular ? .regular(file) : .somethingElse
    }

    /// Moves a file to a name that is free.
    ///
    /// - Parameter name: the preferred name; a number is appended if it is taken.
    /// - Returns: the new name.
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
