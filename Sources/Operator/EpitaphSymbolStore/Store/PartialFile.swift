// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// A file that is being filled, under a temporary name, and locked. An unlocked one was left by an
/// interrupted process; the next process that adds to the directory removes it.
struct PartialFile {
    private static let prefix = ".collect-"
    private static let suffix = ".partial"

    private let directory: Directory
    private let name: String
    private let file: FileDescriptor

    /// A copy of `source` in `directory`, synced to the disk.
    ///
    /// - Throws: also if `source` changes meanwhile.
    static func filled(
        from source: FileDescriptor, in directory: Directory
    ) throws(SymbolStoreError) -> PartialFile {
        let partial = try SymbolStore.writing(directory.path) { () throws(SystemError) in
            try removeLeftovers(in: directory)
            return try PartialFile(in: directory)
        }
        do throws(SymbolStoreError) {
            try partial.fill(from: source)
        } catch {
            partial.remove()
            throw error
        }
        return partial
    }

    private init(in directory: Directory) throws(SystemError) {
        self.directory = directory
        while true {
            let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
            let name = Self.prefix + digits + Self.suffix
            let file = try directory.create(name)
            // Another process may have removed it before it was locked, as a leftover. A file
            // system without locks keeps leftovers.
            let isLocked = try? file.tryLocking(.exclusive)
            guard isLocked != false, try file.fileStatus().linkCount > 0 else { continue }
            self.name = name
            self.file = file
            return
        }
    }

    private func fill(from source: FileDescriptor) throws(SymbolStoreError) {
        let before = try rethrowing(source.fileStatus()) { (error: SystemError) in
            SymbolStoreError(subject: source.path, reason: error.reason)
        }
        do {
            try source.copy(before.sizeBytes, to: file)
            // Never set-user-ID or set-group-ID, and never writable for others.
            try file.setPermissions(before.permissions & 0o755 | 0o400)
            try file.synchronize()
        } catch {
            guard error.call == "pread" else {
                throw SymbolStoreError(writing: directory.path, error)
            }
            throw .init(subject: source.path, reason: error.reason)
        }
        let written = try? file.fileStatus().sizeBytes
        guard let after = try? source.fileStatus(), after.stamp == before.stamp,
            written == before.sizeBytes
        else { throw .init(subject: source.path, reason: "it changed while it was read") }
    }

    /// False if the name is taken and not to be replaced; the file is then removed.
    @discardableResult
    func publish(as finalName: String, replacing: Bool) throws(SystemError) -> Bool {
        defer { remove() }
        do throws(SystemError) {
            if replacing {
                try directory.rename(name, to: directory, as: finalName)
            } else {
                try directory.link(name, as: finalName)
            }
        } catch {
            if error.isAlreadyThere { return false }
            guard error.hasNoSecondNames else { throw error }
            try directory.rename(name, to: directory, as: finalName)
        }
        try directory.synchronize()
        return true
    }

    private func remove() {
        // The next process removes it otherwise.
        _ = try? directory.remove(name)
    }

    static func removeLeftovers(in directory: Directory) throws(SystemError) {
        for name in try directory.list().names where isOwn(name) {
            guard let file = try? directory.openForReading(name),
                (try? file.fileStatus().kind) == .regular,
                (try? file.tryLocking(.exclusive)) == true
            else { continue }
            try directory.remove(name)
        }
    }

    private static func isOwn(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return false }
        let digits = name.dropFirst(prefix.count).dropLast(suffix.count)
        return (1...16).contains(digits.count) && digits.allSatisfy(\.isHexDigit)
    }
}
