// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphHTTP
import EpitaphSystem
import EpitaphValues

extension DatabaseQueue {
    /// More than anyone attaches. Each is an open file while its report is being sent.
    static let mostAttachments = 128

    package func minidump(of report: PendingReport) throws(DatabaseError) -> FileDescriptor {
        try database.openMinidump(of: report.uuid)
    }

    package func signature(of report: PendingReport) -> KeptSignature? {
        SignatureCache(database, ifMissing: .fail).signature(of: report.uuid)
    }

    /// An attachment that is not a regular file, or cannot be read, has a reason instead of bytes:
    /// the report does not wait for it.
    package func attachments(of report: PendingReport) throws(DatabaseError) -> [OutgoingAttachment]
    {
        let names: [String]
        do throws(DatabaseError) {
            names = try database.attachmentNames(of: report.uuid)
        } catch {
            return [
                OutgoingAttachment(name: "attachments", content: try Self.content(without: error))
            ]
        }
        var attachments: [OutgoingAttachment] = []
        for name in names.prefix(Self.mostAttachments) {
            attachments.append(
                OutgoingAttachment(name: name, content: try content(of: name, report.uuid)))
        }
        let reason = "only \(Self.mostAttachments) of \(names.count) attachments are sent"
        return attachments
            + names.dropFirst(Self.mostAttachments).map {
                OutgoingAttachment(name: $0, content: .unreadable(reason: reason))
            }
    }

    private func content(
        of name: String, _ uuid: Epitaph.ID
    ) throws(DatabaseError) -> OutgoingContent {
        let file: FileDescriptor
        do throws(DatabaseError) {
            file = try database.attachment(name, of: uuid)
        } catch {
            return try Self.content(without: error)
        }
        do throws(TransportError) {
            return .file(try BodyFile(reading: file))
        } catch {
            return .unreadable(error)
        }
    }

    /// - Throws: errors that may be temporary: they must not cost the report an attachment.
    private static func content(
        without error: DatabaseError
    ) throws(DatabaseError) -> OutgoingContent {
        if case .system(let cause) = error, !cause.isAboutTheName { throw error }
        return .unreadable(reason: error.description)
    }
}

extension SystemError {
    /// Whether a retry would fail in the same way.
    fileprivate var isAboutTheName: Bool {
        isSymbolicLink || isNotADirectory || isNotFound || isNotPermitted
    }
}
