// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import LinuxSystem
import ReportDatabase

/// Attachments that are added at run time. The dump of a crash names them, so that they are
/// attached whichever process makes the report.
private enum GlobalAttachments {
    /// - Returns: why the file was not added; nil if it was.
    static func add(_ file: AttachedFile) -> AttachmentProblem? {
        switch epitaph_attachment_add(absolute(file.path), file.name) {
        case EPITAPH_OK: return nil
        case EPITAPH_NO_ROOM:
            return .unreadable(name: file.path, reason: "there are 32 attachments already")
        case EPITAPH_SYSTEM_ERROR:
            return .unreadable(name: file.path, reason: "there is no memory to name it")
        default:
            return .unreadable(name: file.path, reason: "its path or its name is too long")
        }
    }

    /// At the time of a crash the program may have another working directory.
    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let here = try? realPath(of: ".") else { return path }
        return here + "/" + path
    }
}

// Attachments for every report of this program from now on.
extension CrashReporter {
    /// Attaches one more file to every report. It is copied when the dump of a crash becomes a
    /// report. A file of the same name is replaced. From any thread.
    ///
    /// - Throws: `AttachmentProblem` if there are 32 already, or if the path or the name is too
    ///   long.
    public func addAttachment(_ file: AttachedFile) throws(AttachmentProblem) {
        if let problem = GlobalAttachments.add(file) { throw problem }
    }

    /// Stops attaching the file that has this name in reports; does nothing if there is none.
    public func removeAttachment(named name: String) {
        epitaph_attachment_remove(name)
    }
}
