// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// A file that is being filled, under a name that stands for nothing yet.
///
/// It is locked while somebody fills it. One that nobody has locked was left by a process that was
/// interrupted; the next one that adds to the directory removes it.
struct PartialFile {
    private static let prefix = ".collect-"
    private static let suffix = ".partial"

    private let directory: Directory
    private let name: String
    private let file: FileDescriptor

    /// A copy of `source` in `directory`, written to the disk.
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
            // Before it was locked, another process may have taken it for one that was left. A file
            // system without locks keeps what an interrupted process leaves.
            let isLocked = try? file.tryLocking(.exclusive)
            guard isLocked != false, try file.fileStatus().linkCount > 0 else { continue }
            self.name = name
            self.file = file
            return
        }
    }

    private func fill(from source: FileDescriptor) throws(SymbolStoreError) {
        let before: FileStatus
        do {
            before = try source.fileStatus()
        } catch {
            throw .init(subject: source.path, reason: error.reason)
        }
        do {
            try source.copy(before.sizeBytes, to: file)
            // Never with the right to run as somebody else, and never for others to write.
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

    /// Gives the file its name.
    ///
    /// - Returns: false if something has the name and is not to be replaced; then the file goes.
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
        // What cannot be removed now is removed by the next process.
        _ = try? directory.remove(name)
    }

    /// Removes what interrupted processes left.
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
