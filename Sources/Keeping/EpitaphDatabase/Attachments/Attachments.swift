// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// Files of a report: `attachments/<uuid>/<name>`.
extension ReportDatabase {
    package func attachmentNames(of uuid: Epitaph.ID) throws(DatabaseError) -> [String] {
        let names = try attempt(
            unless(\.isNotFound, attachments.openDirectory(uuid.fileStem).list().names))
        return names?.sorted() ?? []
    }

    static func checkAttachmentName(_ name: String) throws(DatabaseError) {
        let isGood = name.utf8.allSatisfy { isAlphanumeric($0) || "._-".utf8.contains($0) }
        guard isGood, !name.isEmpty, name.utf8.count <= 255, name != ".", name != ".." else {
            throw .badAttachmentName(name)
        }
    }

    func attachmentsSizeBytes(of uuid: Epitaph.ID) -> Int {
        guard let directory = try? attachments.openDirectory(uuid.fileStem),
            let names = try? directory.list().names
        else { return 0 }
        return names.reduce(0) { sum, name in
            sum.addingClamped(((try? directory.status(of: name)) ?? nil)?.sizeBytes ?? 0)
        }
    }

    /// Moves anything but attachments aside instead of removing it: it is not ours.
    func removeAttachments(of uuid: Epitaph.ID) throws(SystemError) {
        do throws(SystemError) {
            let directory = try attachments.openDirectory(uuid.fileStem)
            for name in try directory.list().names where try isAttachment(name, in: directory) {
                try directory.remove(name)
            }
            try attachments.removeDirectory(uuid.fileStem)
        } catch {
            if error.isNotFound { return }
            guard error.isNotEmpty || error.isNotADirectory || error.isSymbolicLink else {
                throw error
            }
            let quarantine = try root.makeAndOpen(Self.quarantineName)
            let name = "\(uuid.fileStem).attachments-\(clock.now().wholeSeconds)"
            _ = try attachments.move(uuid.fileStem, aside: name, in: quarantine)
            try quarantine.synchronize()
        }
    }

    private func isAttachment(
        _ name: String, in directory: Directory
    ) throws(SystemError) -> Bool {
        guard (try? Self.checkAttachmentName(name)) != nil else { return false }
        return try directory.status(of: name)?.kind == .regular
    }
}

extension Epitaph {
    package enum AttachmentLimit {
        /// 7 MiB, which collectors that limit attachments accept.
        package static let defaultBytes = 7 << 20
    }

    /// Why an attachment is not sent with a report.
    public enum AttachmentProblem: Error, Sendable, Equatable, CustomStringConvertible {
        /// It has more bytes than an attachment may have.
        case tooLarge(name: String, sizeBytes: Int, limitBytes: Int)
        /// A sentence that names the file.
        case unreadable(name: String, reason: String)

        /// One sentence without a full stop: the attachment's name and the reason.
        public var description: String {
            switch self {
            case .tooLarge(let name, let size, let limit):
                "\(name) is not attached: it has \(size) bytes, and an attachment may have \(limit)"
            case .unreadable(let name, let reason):
                "\(name) is not attached: \(reason)"
            }
        }
    }
}
