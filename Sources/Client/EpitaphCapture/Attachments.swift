// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import EpitaphNames
import Glibc

// Attachments for every report of this program from now on. The dump of a crash names them, so they
// are attached no matter which process makes the report.
extension Epitaph {
    /// Attaches one more file to every report. It is copied when the dump of a crash becomes a
    /// report. Replaces a file of the same name. From any thread.
    ///
    /// - Parameters:
    ///   - path: of a regular file, at most 4,095 bytes; it need not exist yet.
    ///   - name: what it is called in the report: 1 to 207 of the characters A-Z a-z 0-9 . _ -; nil
    ///     for the last component of the path.
    /// - Throws: `Refusal` if there are 32 already, or if path or name cannot be used.
    public static func addAttachment(_ path: String, name: String? = nil) throws(Epitaph
        .Refusal)
    {
        switch epitaph_attachment_add(absolute(path), name) {
        case EPITAPH_OK: return
        case EPITAPH_NO_ROOM: throw Refusal(.limitReached, "there are 32 attachments already")
        case EPITAPH_SYSTEM_ERROR: throw Refusal(.system, "there is no memory to name it")
        default:
            throw Refusal(
                .invalidArgument, "its path or its name is too long, or no name for an attachment")
        }
    }

    /// Stops attaching the file that has this name in reports; does nothing if there is none.
    public static func removeAttachment(named name: String) {
        epitaph_attachment_remove(name)
    }

    /// At the time of a crash the program may have another working directory.
    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let here = getcwd(nil, 0) else { return path }
        defer { free(here) }
        return String(cString: here) + "/" + path
    }
}
