// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// Writes a file completely or not at all.
struct OutputFile {
    enum Existing {
        case refuse, replace
    }

    private let path: String
    private let directory: Directory
    private let name: String
    private let existing: Existing

    /// - Parameter source: what is read, which is not replaced.
    init(
        _ path: String, existing: Existing, source: String? = nil
    ) throws(CommandFailure) {
        self.path = path
        self.existing = existing
        let components = path.split(separator: "/")
        guard let last = components.last, !path.hasSuffix("/"), last != ".", last != ".." else {
            throw CommandFailure(.usage, "\"\(path)\" is not the name of a file to write")
        }
        if let source, let read = try? realPath(of: source), read == (try? realPath(of: path)) {
            throw CommandFailure(.usage, "\(path) is the file that is read; name another one")
        }
        name = String(last)
        let parent = path.dropLast(name.count)
        directory = try Self.trying(
            path,
            Directory(opening: realPath(of: parent.isEmpty ? "." : String(parent))))
    }

    /// Creates the file and fills it by `write`; removes it on failure.
    ///
    /// - Parameter permissions: the file then gets its name only when complete. By default only the
    ///   owner can read it.
    func fill(
        permissions: UInt32? = nil,
        _ write: (inout FileSink) throws(SystemError) -> Void
    ) throws(CommandFailure) {
        // A new file gets its name at once, without replacing anything.
        let isTaken = try check()
        let partialName =
            isTaken || permissions != nil
            ? name + ".partial-" + String(UInt32.random(in: 0 ... .max), radix: 16) : name
        try Self.trying(path, make(partialName, permissions: permissions, write))
    }

    private func make(
        _ partialName: String, permissions: UInt32?,
        _ write: (inout FileSink) throws(SystemError) -> Void
    ) throws(SystemError) {
        let file = try directory.create(partialName)
        do throws(SystemError) {
            var sink = FileSink(file)
            try write(&sink)
            if let permissions { try file.setPermissions(permissions) }
            try file.synchronize()
            if partialName != name {
                try directory.rename(partialName, to: directory, as: name)
            }
        } catch {
            // Report the first error, not a failed removal.
            _ = try? directory.remove(partialName)
            throw error
        }
        try directory.synchronize()
    }

    /// Fails now if `fill` would refuse to write.
    ///
    /// - Returns: whether a file exists, which will be replaced.
    @discardableResult
    func check() throws(CommandFailure) -> Bool {
        let status = try Self.trying(path, directory.status(of: name))
        switch status?.kind {
        case nil: return false
        case .regular where existing == .replace: return true
        case .regular:
            throw CommandFailure(.incomplete, "\(path) exists already; --force replaces it")
        case .directory:
            throw CommandFailure(.incomplete, "\(path) is a directory; name a file in it")
        case .symbolicLink, .other:
            throw CommandFailure(
                .incomplete,
                "\(path) is not a regular file; \"-\" writes to standard output")
        }
    }

    private static func trying<Value>(
        _ path: String, _ value: @autoclosure () throws(SystemError) -> Value
    ) throws(CommandFailure) -> Value {
        try orReason(.incomplete, "cannot write \(path)", value())
    }
}
