// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// Reports with broken or missing metadata. The minidump is what matters, so they stay reports:
/// they are listed with what their files show, and get new metadata at the next change.
/// docs/database.md explains the values.
extension ReportDatabase {
    /// Files moved aside, with dumps that failed, where Crashpad's tools never look.
    package static let quarantineName = "quarantine"

    /// Inferred from files: filed when the minidump was last written; perhaps tried when the
    /// metadata was last written; not requested by a person.
    func provisionalMetadata(
        of uuid: Epitaph.ID, in directory: Directory, minidump: FileStatus
    ) throws(DatabaseError) -> ReportMetadata {
        let written = try attempt(directory.status(of: uuid.metadataName)?.modificationTime)
        var metadata = ReportMetadata(creationSeconds: minidump.modificationTime.wholeSeconds)
        metadata.uploadAttempts = 1
        metadata.lastUploadAttemptSeconds = (written ?? minidump.modificationTime).wholeSeconds
        return metadata
    }

    /// With the report's lock held. Broken metadata is made again. Nil without a report.
    func metadataToChange(
        of uuid: Epitaph.ID, in directory: Directory
    ) throws(DatabaseError) -> ReportMetadata? {
        let minidump = try attempt(directory.status(of: uuid.minidumpName))
        guard let minidump, minidump.kind == .regular else { return nil }
        let stored = try storedMetadata(of: uuid, in: directory)
        switch stored {
        case .intact(let metadata): return metadata
        case .laterVersion(let version):
            throw .laterVersion(path: directory.path(of: uuid.metadataName), version: version)
        case .missing, .broken: break
        }
        let metadata = try provisionalMetadata(of: uuid, in: directory, minidump: minidump)
        if case .broken = stored { try keepMetadataAside(of: uuid, in: directory) }
        try write(metadata, of: uuid, in: directory)
        return metadata
    }

    func keepMetadataAside(
        of uuid: Epitaph.ID, in directory: Directory
    ) throws(DatabaseError) {
        let name = "\(uuid.metadataName).corrupt-\(clock.now().wholeSeconds)"
        try attempt { () throws(SystemError) in
            let quarantine = try root.makeAndOpen(Self.quarantineName)
            _ = try directory.move(uuid.metadataName, aside: name, in: quarantine)
            try quarantine.synchronize()
        }
    }

    func problem(
        with stored: StoredMetadata, of uuid: Epitaph.ID, in directory: Directory
    ) -> String? {
        switch stored {
        case .intact: nil
        case .missing:
            "\(directory.path(of: uuid.minidumpName)): the report has no metadata; new "
                + "metadata is written when the report is sent or changed"
        case .broken(let sentence):
            "\(sentence); it is put into \(Self.quarantineName) and new metadata is "
                + "written when the report is sent or changed"
        case .laterVersion(let version):
            DatabaseError.laterVersion(
                path: directory.path(of: uuid.metadataName), version: version
            ).description
        }
    }
}
