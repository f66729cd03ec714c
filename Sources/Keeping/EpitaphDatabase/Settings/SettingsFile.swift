// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// `settings.dat`, guarded by flock(2) as Crashpad does: shared to read, exclusive to write.
extension ReportDatabase {
    private static var settingsName: String { "settings.dat" }

    /// Created with a new client id if missing. A broken file is kept as
    /// `settings.dat.corrupt-<seconds>`.
    ///
    /// - Throws: `.laterVersion` for a later program's file, which is left alone; `.broken` if
    ///   something other than a file is in its place.
    package func settings() throws(DatabaseError) -> DatabaseSettings {
        if let settings = try storedSettings() { return settings }
        return try updateSettings { _ in }
    }

    /// Nil if missing or broken. Works in a read-only database; throws as `settings`.
    package func storedSettings() throws(DatabaseError) -> DatabaseSettings? {
        let found = try attempt(root.find(Self.settingsName, for: .reading))
        switch found {
        case .missing: return nil
        case .somethingElse: throw wrongKind
        case .regular(let file, _):
            try lock(file, .shared)
            defer { file.unlock() }
            return try record(in: file).record?.settings
        }
    }

    /// A sentence if the file is broken; nil if valid or missing. Throws as `settings`.
    package func settingsProblem() throws(DatabaseError) -> String? {
        guard try storedSettings() == nil else { return nil }
        let status = try attempt(root.status(of: Self.settingsName))
        guard let status, status.sizeBytes > 0 else { return nil }
        return "\(root.path(of: Self.settingsName)): the file holds no settings; at the next "
            + "change it is kept aside and new ones are made, with uploads off"
    }

    /// Changes the settings without losing another process's change; throws as `settings`.
    @discardableResult
    package func updateSettings(
        _ edit: (inout DatabaseSettings) -> Void
    ) throws(DatabaseError) -> DatabaseSettings {
        for _ in 0..<8 {
            guard let file = try openSettingsForWriting() else { continue }
            try lock(file, .exclusive)
            defer { file.unlock() }
            // The previous holder of the lock may have moved the file aside.
            let isInPlace = try attempt(
                try root.status(of: Self.settingsName)?.identity == file.fileStatus().identity)
            guard isInPlace else { continue }
            let (stored, bytes) = try record(in: file)
            // Empty: its maker died before writing to it.
            guard var record = bytes.isEmpty ? SettingsRecord(clientID: Epitaph.ID()) : stored
            else {
                try keepCorruptSettingsAside()
                continue
            }
            edit(&record.settings)
            if record.bytes != bytes { try write(record, to: file, isNew: bytes.isEmpty) }
            return record.settings
        }
        throw .settingsBusy(path: root.path(of: Self.settingsName))
    }

    private func record(
        in file: FileDescriptor
    ) throws(DatabaseError) -> (record: SettingsRecord?, bytes: [UInt8]) {
        let bytes = try attempt(file.readBytes(count: SettingsRecord.sizeBytes, at: 0))
        if let version = SettingsRecord.laterVersion(bytes) {
            throw .laterVersion(path: file.path, version: version)
        }
        return (SettingsRecord(bytes), bytes)
    }

    /// Nil if the file appeared or vanished meanwhile.
    private func openSettingsForWriting() throws(DatabaseError) -> FileDescriptor? {
        do throws(SystemError) {
            switch try root.find(Self.settingsName, for: .writing) {
            case .regular(let file, _): return file
            case .somethingElse: break
            case .missing: return try root.create(Self.settingsName)
            }
        } catch {
            guard !error.isAlreadyThere else { return nil }
            throw .system(error)
        }
        throw wrongKind
    }

    private var wrongKind: DatabaseError {
        .broken(
            path: root.path(of: Self.settingsName),
            reason: "something else than a file is in the settings' place; move it away")
    }

    private func write(
        _ record: SettingsRecord, to file: FileDescriptor, isNew: Bool
    ) throws(DatabaseError) {
        try attempt { () throws(SystemError) in
            // One write of 40 bytes in place: a full disk cannot lose the old settings. Crashpad's
            // tools lock this very file, so it is not replaced.
            try file.writeAll(record.bytes, at: 0)
            try file.synchronize()
            if isNew { try root.synchronize() }
        }
    }

    private func keepCorruptSettingsAside() throws(DatabaseError) {
        let name = "\(Self.settingsName).corrupt-\(clock.now().wholeSeconds)"
        try attempt { () throws(SystemError) in
            _ = try root.move(Self.settingsName, aside: name, in: root)
            try root.synchronize()
        }
    }

    private func lock(
        _ file: FileDescriptor, _ kind: FileDescriptor.LockKind
    ) throws(DatabaseError) {
        // Without locks, the single small write must be enough.
        let isLocked = try attempt(
            unless(\.isUnsupported, file.lock(kind, within: settingsDeadline)))
        guard isLocked ?? true else { throw .settingsBusy(path: file.path) }
    }
}
