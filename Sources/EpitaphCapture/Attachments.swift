// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import Glibc

// Files that go with every report of this program from now on. The dump of a crash names them, so
// that they go with the report whoever makes it.
extension CrashReporter {
    /// Has one more file go with every report, as it is when the dump of a crash becomes one. One of
    /// the same name takes its place. From any thread.
    ///
    /// - Parameters:
    ///   - path: of a regular file, at most 4,095 bytes; it need not be there yet.
    ///   - name: what it is called in the report: 1 to 207 of the characters A-Z a-z 0-9 . _ -; nil
    ///     for the last component of the path.
    /// - Throws: `AttachmentError` when there are 32 already, or path or name cannot be used.
    public func addAttachment(_ path: String, name: String? = nil) throws(AttachmentError) {
        switch epitaph_attachment_add(absolute(path), name) {
        case EPITAPH_OK: return
        case EPITAPH_NO_ROOM: throw .noRoom
        case EPITAPH_SYSTEM_ERROR: throw .noMemory
        default: throw .unusableName
        }
    }

    /// The file that is called so in reports goes with them no more; nothing happens if there is
    /// none.
    public func removeAttachment(named name: String) {
        epitaph_attachment_remove(name)
    }

    /// By the time of a crash the program may work in another directory.
    private func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let here = getcwd(nil, 0) else { return path }
        defer { free(here) }
        return String(cString: here) + "/" + path
    }
}

/// A file that cannot go with reports.
public enum AttachmentError: Error, Equatable, CustomStringConvertible {
    /// There are 32 already.
    case noRoom
    /// There is no memory to name it.
    case noMemory
    /// Its path or its name is too long, or the name has other characters.
    case unusableName

    public var description: String {
        switch self {
        case .noRoom: "there are 32 attachments already"
        case .noMemory: "there is no memory to name it"
        case .unusableName: "its path or its name is too long, or no name for an attachment"
        }
    }
}
