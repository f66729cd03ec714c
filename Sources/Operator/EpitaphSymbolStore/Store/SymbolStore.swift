// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphValues

/// A directory of executables and debug files by build id, in the layout of debuginfod, gdb and
/// lldb: docs/symbols.md.
///
/// A name never stands for a partial file. Several processes may add to one store; valid files
/// stay. Only files with names made here are replaced or removed.
package struct SymbolStore: Sendable {
    package enum Outcome: String, Sendable {
        case added
        /// The same bytes were there.
        case present
        /// Another file of this build was there and stays: one has sections that the other lacks.
        case presentDifferently
        /// An incomplete file or one of another build was there and was replaced.
        case replaced
    }

    package let path: String
    private let top: Directory
    private let root: Directory

    package init(making path: String) throws(SymbolStoreError) {
        self.path = path
        (top, root) = try Self.writing(path) { () throws(SystemError) in
            try Directory.make(path, mode: 0o755)
            let directory = try Directory(opening: EpitaphSystem.realPath(of: path))
            try directory.synchronizeParent()
            return (directory, try directory.makeAndOpen(StoredName.root, mode: 0o755))
        }
    }

    /// Without symbolic links; unnamed files are created there.
    var realPath: String { top.path }

    /// Adds a file under each name. An existing one stays only if equal: the new one may know more.
    func add(_ file: BreakpadFile) throws(SymbolStoreError) -> [(name: String, outcome: Outcome)] {
        try file.names.map { module throws(SymbolStoreError) in
            let (directories, name) = file.identity.path(ofModule: module)
            let directory = try Self.writing(path) { () throws(SystemError) in
                var directory = top
                for name in directories { directory = try directory.makeAndOpen(name, mode: 0o755) }
                return directory
            }
            let shown = (directories + [name]).joined(separator: "/")
            let present = try? directory.openForReading(name)
            if let present, (try? present.hasSameContents(as: file.contents)) == true {
                return (shown, .present)
            }
            let partial = try PartialFile.filled(from: file.contents, in: directory)
            try Self.writing(path) { () throws(SystemError) in
                _ = try partial.publish(as: name, replacing: true)
            }
            return (shown, present == nil ? .added : .replaced)
        }
    }

    /// Path below the store's directory; nil if the build id is too short.
    package func name(of part: StoredPart, of buildID: [UInt8]) -> String? {
        StoredName(buildID, part)?.path
    }

    package func has(_ part: StoredPart, of buildID: [UInt8]) -> Bool {
        guard let name = StoredName(buildID, part),
            let directory = try? root.openDirectory(name.directory),
            let file = try? directory.openForReading(name.file)
        else { return false }
        return Self.isSound(file, part, buildID)
    }

    /// Copies a complete ELF file with this build id into the store, unless it is there. Readers of
    /// the source can read the copy, which is never set-user-ID.
    package func add(
        _ source: FileDescriptor, as part: StoredPart, of buildID: [UInt8]
    ) throws(SymbolStoreError) -> Outcome {
        guard let name = StoredName(buildID, part) else {
            throw .init(subject: source.path, reason: "its build id has a single byte")
        }
        let directory = try Self.writing(path) { () throws(SystemError) in
            let directory = try root.makeAndOpen(name.directory, mode: 0o755)
            try PartialFile.removeLeftovers(in: directory)
            return directory
        }
        let present = try outcome(ifIn: directory, name, source, part, buildID)
        if let present, present != .replaced { return present }
        let partial = try PartialFile.filled(from: source, in: directory)
        return try Self.writing(path) { () throws(SystemError) in
            guard present == nil else {
                try partial.publish(as: name.file, replacing: true)
                return .replaced
            }
            return try partial.publish(as: name.file, replacing: false) ? .added : .present
        }
    }

    /// Hard-links, or copies, a stored executable that has its own symbols or DWARF under the name
    /// of a debug file, which is what readers of a stripped copy look for.
    package func addDebugName(
        of source: FileDescriptor, _ buildID: [UInt8]
    ) throws(SymbolStoreError) -> Outcome {
        guard let program = StoredName(buildID, .executable),
            let name = StoredName(buildID, .debug),
            let directory = try? root.openDirectory(program.directory),
            (try? directory.status(of: name.file)) == .some(nil),
            let file = try? directory.openForReading(program.file),
            (try? file.hasSameContents(as: source)) == true
        else { return try add(source, as: .debug, of: buildID) }
        do throws(SystemError) {
            try directory.link(program.file, as: name.file)
            try directory.synchronize()
            return .added
        } catch {
            return try add(source, as: .debug, of: buildID)
        }
    }

    /// Gives a package the name that gdb looks for beside a separate debug file: the program's. A
    /// build with the same first digits keeps it; only gdb lacks split units then.
    func addPackageName(
        _ name: String, of buildID: [UInt8]
    ) throws(SymbolStoreError) {
        guard let package = StoredName(buildID, .package),
            let directory = try? root.openDirectory(package.directory),
            (try? directory.status(of: name)) == .some(nil)
        else { return }
        try Self.writing(path) { () throws(SystemError) in
            do throws(SystemError) {
                try directory.link(package.file, as: name)
                try directory.synchronize()
            } catch {
                guard error.hasNoSecondNames || error.isAlreadyThere else { throw error }
            }
        }
    }

    private func outcome(
        ifIn directory: Directory, _ name: StoredName, _ source: FileDescriptor,
        _ part: StoredPart, _ buildID: [UInt8]
    ) throws(SymbolStoreError) -> Outcome? {
        let status = try Self.writing(path) { () throws(SystemError) in
            try directory.status(of: name.file)
        }
        guard let status else { return nil }
        guard status.kind == .regular || status.kind == .symbolicLink else {
            throw .init(
                subject: "\(path)/\(name.path)",
                reason: "it is not a regular file, and is left alone")
        }
        guard status.kind == .regular else { return .presentDifferently }
        guard let file = try? directory.openForReading(name.file) else {
            return .presentDifferently
        }
        if (try? file.hasSameContents(as: source)) == true { return .present }
        return Self.isSound(file, part, buildID) ? .presentDifferently : .replaced
    }

    private static func isSound(
        _ file: FileDescriptor, _ part: StoredPart, _ buildID: [UInt8]
    ) -> Bool {
        guard let bytes = try? FileBytes.contents(of: file), let image = try? ELFImage(bytes) else {
            return false
        }
        let isPackage = part == .package || part == .package5
        // A package has no build id; it is found by its program's.
        return image.isWhole && (isPackage || image.buildID == buildID)
    }

    static func writing<Value>(
        _ path: String, _ body: () throws(SystemError) -> Value
    ) throws(SymbolStoreError) -> Value {
        do {
            return try body()
        } catch {
            throw SymbolStoreError(writing: path, error)
        }
    }
}

package struct SymbolStoreError: Error, Sendable, Equatable, CustomStringConvertible {
    package let subject: String
    package let reason: String
    /// Whether the store cannot be written, so that nothing else can be added.
    package let concernsStore: Bool

    init(subject: String, reason: String) {
        self.subject = subject
        self.reason = reason
        concernsStore = false
    }

    init(writing path: String, _ error: SystemError) {
        subject = path
        reason =
            error.isFull
            ? "there is no room left (\(error.reason)); what was collected before is whole"
            : error.isReadOnly ? "the file system can only be read" : error.reason
        concernsStore = true
    }

    /// `cannot store <subject>: <reason>`
    package var description: String {
        concernsStore
            ? "cannot write to the symbol store \(subject): \(reason)"
            : "cannot store \(subject): \(reason)"
    }
}
