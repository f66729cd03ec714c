// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LinuxSystem

/// Files that go with a report: `attachments/<uuid>/<name>`.
extension ReportDatabase {
    /// Names of the report's attachments, sorted.
    public func attachmentNames(of uuid: UUID) throws(DatabaseError) -> [String] {
        do throws(SystemError) {
            return try attachments.openDirectory(uuid.fileStem).list().names.sorted()
        } catch {
            if error.isNotFound { return [] }
            throw .system(error)
        }
    }

    static func checkAttachmentName(_ name: String) throws(DatabaseError) {
        let isGood = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isGood, !name.isEmpty, name.utf8.count <= 255, name != ".", name != ".." else {
            throw .badAttachmentName(name)
        }
    }

    func attachmentsSizeBytes(of uuid: UUID) -> Int {
        guard let directory = try? attachments.openDirectory(uuid.fileStem),
            let names = try? directory.list().names
        else { return 0 }
        return names.reduce(0) { sum, name in
            sum.addingClamped(((try? directory.status(of: name)) ?? nil)?.sizeBytes ?? 0)
        }
    }

    func removeAttachments(of uuid: UUID) throws(SystemError) {
        let directory: Directory
        do throws(SystemError) {
            directory = try attachments.openDirectory(uuid.fileStem)
        } catch {
            guard error.isNotFound else { throw error }
            return
        }
        for name in try directory.list().names { try directory.remove(name) }
        try attachments.removeDirectory(uuid.fileStem)
    }
}
