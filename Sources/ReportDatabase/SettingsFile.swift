// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LinuxSystem

/// `settings.dat`, guarded by flock(2) as Crashpad does: shared to read, exclusive to write.
extension ReportDatabase {
    private static var settingsName: String { "settings.dat" }

    /// The settings; made with a new client id where there are none yet. A file that holds no
    /// settings is kept aside as
    /// `settings.dat.corrupt-<seconds>` and new ones are made.
    public func settings() throws(DatabaseError) -> DatabaseSettings {
        if let settings = try storedSettings() { return settings }
        return try updateSettings { _ in }
    }

    /// The settings as they are on disk, nil when there are none or the file is broken. Changes
    /// nothing.
    public func storedSettings() throws(DatabaseError) -> DatabaseSettings? {
        let file: FileDescriptor
        do throws(SystemError) {
            file = try root.openForReading(Self.settingsName)
        } catch {
            if error.isNotFound { return nil }
            throw .system(error)
        }
        try lock(file, .shared)
        defer { file.unlock() }
        let bytes = try attempt { () throws(SystemError) in
            try file.readAll(limit: SettingsRecord.sizeBytes)
        }
        return SettingsRecord(bytes)?.settings
    }

    /// Changes the settings; no change of another process gets lost in between.
    @discardableResult
    public func updateSettings(
        _ edit: (inout DatabaseSettings) -> Void
    ) throws(DatabaseError) -> DatabaseSettings {
        for _ in 0..<8 {
            let file = try attempt { () throws(SystemError) in
                try root.openForWriting(Self.settingsName, creating: true)
            }
            try lock(file, .exclusive)
            defer { file.unlock() }
            // Whoever had the lock before may have put the file aside.
            let isInPlace = try attempt { () throws(SystemError) in
                try root.status(of: Self.settingsName)?.identity == file.fileStatus().identity
            }
            guard isInPlace else { continue }
            let bytes = try attempt { () throws(SystemError) in
                try file.readAll(limit: SettingsRecord.sizeBytes)
            }
            // Empty: its maker died before writing it.
            guard
                var record = bytes.isEmpty
                    ? SettingsRecord(clientID: UUID()) : SettingsRecord(bytes)
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

    private func write(
        _ record: SettingsRecord, to file: FileDescriptor, isNew: Bool
    ) throws(DatabaseError) {
        try attempt { () throws(SystemError) in
            // One write of 40 bytes over the old ones: a full disk cannot take the old settings
            // away.
            try file.writeAll(record.bytes, at: 0)
            try file.synchronize()
            if isNew { try root.synchronize() }
        }
    }

    private func keepCorruptSettingsAside() throws(DatabaseError) {
        let name = "\(Self.settingsName).corrupt-\(clock.now().wholeSeconds)"
        try attempt { () throws(SystemError) in
            try root.rename(Self.settingsName, to: root, as: name)
        }
    }

    private func lock(
        _ file: FileDescriptor, _ kind: FileDescriptor.LockKind
    ) throws(DatabaseError) {
        let isLocked: Bool
        do throws(SystemError) {
            isLocked = try file.lock(kind, within: settingsDeadline)
        } catch {
            // Without locks in the file system the single small write must do.
            guard error.isUnsupported else { throw .system(error) }
            isLocked = true
        }
        guard isLocked else { throw .settingsBusy(path: file.path) }
    }
}
