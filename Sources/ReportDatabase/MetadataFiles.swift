// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LinuxSystem

extension ReportDatabase {
    /// The metadata of a report; nil when there is no such file.
    func metadata(of uuid: UUID, in directory: Directory) throws(DatabaseError) -> ReportMetadata? {
        let path = directory.path(of: uuid.metadataName)
        let bytes: [UInt8]
        do throws(SystemError) {
            let limit = ReportMetadata.headerSizeBytes + ReportMetadata.serverIDLimitBytes
            bytes = try directory.openForReading(uuid.metadataName).readAll(limit: limit)
        } catch {
            if error.isNotFound { return nil }
            throw .system(error)
        }
        do throws(MetadataProblem) {
            return try ReportMetadata(bytes)
        } catch {
            throw .broken(path: path, reason: error.description)
        }
    }

    /// Puts the metadata in place whole: written beside, synced, then renamed over what is there. A
    /// leftover lies in
    /// `new/`, where Crashpad's cleaning looks for such. The caller holds the report's lock and
    /// syncs the directory.
    func write(
        _ metadata: ReportMetadata, of uuid: UUID, in directory: Directory
    ) throws(DatabaseError) {
        var metadata = metadata
        metadata.serverID = metadata.serverID.prefix(
            utf8Bytes: ReportMetadata.serverIDLimitBytes)
        let bytes = metadata.bytes
        do throws(SystemError) {
            let file = try newReports.openForWriting(uuid.metadataName, creating: true)
            try file.truncate(toBytes: 0)
            try file.writeAll(bytes, at: 0)
            try file.synchronize()
            try newReports.rename(uuid.metadataName, to: directory, as: uuid.metadataName)
        } catch {
            _ = try? newReports.remove(uuid.metadataName)
            throw .system(error)
        }
    }
}

extension String {
    /// As many whole characters as fit.
    fileprivate func prefix(utf8Bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil {
            end = utf8.index(before: end)
        }
        return String(self[..<end])
    }
}
