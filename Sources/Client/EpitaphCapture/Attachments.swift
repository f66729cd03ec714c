// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames
import Glibc

// Dumps name their attachments, so any process that makes the report attaches them.
extension Epitaph {
    /// Attaches a file to every report. It is copied when a dump becomes a report. Replaces a file
    /// of the same name. Thread-safe.
    ///
    /// - Parameters:
    ///   - path: of a regular file, at most 4,095 bytes; it need not exist yet.
    ///   - name: file name in the report, 1 to 207 of the characters A-Z a-z 0-9 . _ -; nil for the
    ///     last component of the path.
    /// - Throws: `Refusal` if there are 32 already, or for an invalid path or name.
    public static func addAttachment(_ path: String, name: String? = nil) throws(Epitaph
        .Refusal)
    {
        // C would take what comes before a zero byte, and attach another file.
        let isText = !path.utf8.contains(0) && name?.utf8.contains(0) != true
        switch isText ? epitaph_attachment_add(absolute(path), name) : EPITAPH_INVALID_OPTION {
        case EPITAPH_OK: return
        case EPITAPH_NO_ROOM: throw Refusal(.limitReached, "there are 32 attachments already")
        case EPITAPH_SYSTEM_ERROR: throw Refusal(.system, "there is no memory to name it")
        default:
            throw Refusal(
                .invalidArgument, "its path or its name is too long, or no name for an attachment")
        }
    }

    /// Removes the attachment of this name, if any.
    public static func removeAttachment(named name: String) {
        if !name.utf8.contains(0) { epitaph_attachment_remove(name) }
    }

    /// The working directory may change before a crash.
    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let here = getcwd(nil, 0) else { return path }
        defer { free(here) }
        return String(cString: here) + "/" + path
    }
}
