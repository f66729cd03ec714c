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
        of uuid: Epitaph.ID, in directory: Directory
    ) throws(DatabaseError) -> StoredMetadata {
        func broken(_ problem: MetadataProblem) -> StoredMetadata {
            .broken("\(directory.path(of: uuid.metadataName)): \(problem)")
        }
        let found = try attempt { () throws(SystemError) in
            try directory.find(uuid.metadataName, for: .reading)
        }
        let file: FileDescriptor
        switch found {
        case .missing: return .missing
        case .somethingElse: return broken(.wrongKind)
        case .regular(let opened): file = opened
        }
        let limit = ReportMetadata.headerSizeBytes + ReportMetadata.serverIDLimitBytes
        let bytes = try attempt { () throws(SystemError) in
            // One byte more than allowed, to notice an excess.
            try file.readAll(limit: limit + 1)
        }
        guard bytes.count <= limit else { return broken(.long) }
        do throws(MetadataProblem) {
            return .intact(try ReportMetadata(bytes))
        } catch {
            if case .laterVersion(let version) = error { return .laterVersion(Int(version)) }
            return broken(error)
        }
    }

    /// Replaces the metadata atomically: writes beside it, syncs and renames. A leftover is in
    /// `new/`, where Crashpad's cleaning looks for it. The caller holds the report's lock and syncs
    /// the directory.
    func write(
        _ metadata: ReportMetadata, of uuid: Epitaph.ID, in directory: Directory
    ) throws(DatabaseError) {
        let file = try writeBeside(metadata, of: uuid)
        do throws(SystemError) {
            try file.synchronize()
            try newReports.rename(uuid.metadataName, to: directory, as: uuid.metadataName)
        } catch {
            _ = try? newReports.remove(uuid.metadataName)
            throw .system(error)
        }
    }
}

extension ReportDatabase {
    /// The first half of `write`, before sync and rename.
    func writeBeside(
        _ metadata: ReportMetadata, of uuid: Epitaph.ID
    ) throws(DatabaseError) -> FileDescriptor {
        var metadata = metadata
        metadata.serverID = Report.plainServerID(metadata.serverID)
        do throws(SystemError) {
            let file = try newReports.openForWriting(uuid.metadataName, creating: true)
            try file.truncate(toBytes: 0)
            try file.writeAll(metadata.bytes, at: 0)
            return file
        } catch {
            _ = try? newReports.remove(uuid.metadataName)
            throw .system(error)
        }
    }
}
