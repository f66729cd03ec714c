// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// Readers use the descriptor that was checked: the path may lead to another file by then.
extension ReportDatabase {
    /// Opens the minidump of a report, in either state. The descriptor stays valid if the report is
    /// renamed, moved or removed.
    ///
    /// - Throws: `.notFound` if the report is gone; `.broken` if something other than a file is in
    ///   its place.
    package func openMinidump(
        of uuid: Epitaph.ID, isKnownAsFile: Bool = false
    ) throws(DatabaseError) -> FileDescriptor {
        // Pending twice: it may move there while completed is checked.
        for state in [ReportState.pending, .completed, .pending] {
            let directory = directory(of: state)
            let found = try attempt(
                directory.find(uuid.minidumpName, for: .reading, isKnownAsFile: isKnownAsFile))
            switch found {
            case .missing: continue
            case .regular(let file, _): return file
            case .somethingElse:
                throw .broken(
                    path: directory.path(of: uuid.minidumpName),
                    reason: "something else than a file is in the report's place")
            }
        }
        throw .notFound(uuid.fileStem)
    }

    /// Mapped.
    package func contents(of report: Report) throws(DatabaseError) -> ByteSlice {
        let file = try openMinidump(of: report.uuid)
        return try attempt(FileBytes.contents(of: file))
    }

    /// Opens an attachment, a regular file and not a link. Throws `.broken` for anything else.
    package func attachment(
        _ name: String, of uuid: Epitaph.ID
    ) throws(DatabaseError) -> FileDescriptor {
        try Self.checkAttachmentName(name)
        let directory = try attempt(attachments.openDirectory(uuid.fileStem))
        let found = try attempt(directory.find(name, for: .reading))
        switch found {
        case .regular(let file, _): return file
        case .missing:
            throw .broken(path: directory.path(of: name), reason: "the attachment is gone")
        case .somethingElse:
            throw .broken(
                path: directory.path(of: name),
                reason: "something else than a file is in an attachment's place")
        }
    }
}
