// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

enum StoredMetadata {
    case intact(ReportMetadata)
    case missing
    /// The sentence says what is wrong.
    case broken(String)
    case laterVersion(Int)
}

extension ReportDatabase {
    func storedMetadata(
        of uuid: Epitaph.ID, in directory: Directory, isKnownAsFile: Bool = false
    ) throws(DatabaseError) -> StoredMetadata {
        func broken(_ problem: MetadataProblem) -> StoredMetadata {
            .broken("\(directory.path(of: uuid.metadataName)): \(problem)")
        }
        let found = try attempt(
            try directory.find(uuid.metadataName, for: .reading, isKnownAsFile: isKnownAsFile))
        let file: FileDescriptor
        let size: Int
        switch found {
        case .missing: return .missing
        case .somethingElse: return broken(.wrongKind)
        case .regular(let opened, let status): (file, size) = (opened, status.sizeBytes)
        }
        let limit = ReportMetadata.headerSizeBytes + ReportMetadata.serverIDLimitBytes
        // One byte more than allowed, to notice an excess. No more than there is: a list of a
        // hundred thousand reports should not ask each file for its end.
        let bytes = try attempt(file.readBytes(count: min(size, limit + 1), at: 0))
        guard bytes.count <= limit else { return broken(.long) }
        do throws(MetadataProblem) {
            return .intact(try ReportMetadata(bytes))
        } catch {
            if case .laterVersion(let version) = error { return .laterVersion(Int(version)) }
            return broken(error)
        }
    }

    /// Durable, by way of `new/`, where Crashpad's cleaning looks. The report's lock is held.
    func write(
        _ metadata: ReportMetadata, of uuid: Epitaph.ID, in directory: Directory
    ) throws(DatabaseError) {
        try attempt(
            try directory.replace(
                uuid.metadataName, with: metadata.storedBytes,
                writing: Epitaph.ID().metadataName, in: newReports, isSynced: true))
    }

    /// Writes the metadata in `new/`, to be synced and renamed with others'.
    func writeBeside(
        _ metadata: ReportMetadata, of uuid: Epitaph.ID
    ) throws(DatabaseError) -> FileDescriptor {
        do throws(SystemError) {
            let file = try newReports.openForWriting(uuid.metadataName, creating: true)
            try file.truncate(toBytes: 0)
            try file.writeAll(metadata.storedBytes, at: 0)
            return file
        } catch {
            _ = try? newReports.remove(uuid.metadataName)
            throw .system(error)
        }
    }
}

extension ReportMetadata {
    fileprivate var storedBytes: [UInt8] {
        var plain = self
        plain.serverID = Report.plainServerID(serverID)
        return plain.bytes
    }
}
