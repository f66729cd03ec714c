// SPDX-License-Identifier: Apache-2.0

import CEpitaph
import LinuxSystem
import ReportDatabase

/// Files that are added while the program runs. The dump of a crash names them, so that they go with
/// the report whoever makes it.
private enum GlobalAttachments {
    /// - Returns: why the file is not added; nil where it is.
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

    /// By the time of a crash the program may work in another directory.
    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let here = try? realPath(of: ".") else { return path }
        return here + "/" + path
    }
}

// Files that go with every report of this program from now on.
extension CrashReporter {
    /// Has one more file go with every report, as it is when the dump of a crash becomes one. One of the
    /// same name takes its place. From any thread.
    ///
    /// - Throws: `AttachmentProblem` when there are 32 already, or the path or the name is too long.
    public func addAttachment(_ file: AttachedFile) throws(AttachmentProblem) {
        if let problem = GlobalAttachments.add(file) { throw problem }
    }

    /// The file that is called so in reports goes with them no more; nothing happens if there is
    /// none.
    public func removeAttachment(named name: String) {
        epitaph_attachment_remove(name)
    }
}
