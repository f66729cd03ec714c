// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

extension Epitaph {
    /// A file that is an SQLite database.
    public struct FoundDatabase: Sendable, Equatable {
        /// Free of symbolic links inside the searched directory.
        public var path: String
        public var sizeBytes: Int
        /// Whether this process has it open, or may have. It is then recognised by name only.
        public var isOpenHere: Bool
    }

    public struct DatabaseDiscovery: Sendable, Equatable {
        /// Sorted by path.
        public var databases: [FoundDatabase] = []
        /// Sentences about directories and files that could not be read.
        public var problems: [String] = []
        /// Whether a limit ended the search.
        public var isCut = false
    }
}

struct DatabaseSearch {
    /// sqlite.org/fileformat2.html, "Magic Header String".
    private static let magic = Array("SQLite format 3\0".utf8)
    private static let usualSuffixes = [".db", ".sqlite", ".sqlite3", ".db3"]
    private static let problemLimit = 20

    private let options: StorageOptions
    /// Nil if the kernel does not say; then no file may be read.
    private let openHere: Set<FileIdentity>?
    private var result = DatabaseDiscovery()
    private var seen: Set<FileIdentity> = []
    private var namesLeft: Int

    init(_ options: StorageOptions) {
        self.options = options
        openHere = ProcFileSystem().ownOpenFiles()
        namesLeft = options.nameLimit
    }

    static func run(_ options: StorageOptions) -> DatabaseDiscovery {
        var search = DatabaseSearch(options)
        if search.openHere == nil {
            search.result.problems = ["/proc/self/fd cannot be read: no file is looked at"]
            return search.result
        }
        for path in options.directories {
            search.attempt { (search) throws(SystemError) in
                let directory = try Directory(opening: try realPath(of: path))
                try search.look(through: directory, depth: 0)
            }
        }
        search.result.databases.sort { $0.path < $1.path }
        return search.result
    }

    private mutating func attempt(
        _ body: (inout DatabaseSearch) throws(SystemError) -> Void
    ) {
        do throws(SystemError) {
            try body(&self)
        } catch {
            if result.problems.count < Self.problemLimit {
                result.problems.append(error.description)
            } else {
                result.isCut = true
            }
        }
    }

    private mutating func look(through directory: Directory, depth: Int) throws(SystemError) {
        let identity = try directory.fileStatus().identity
        guard seen.insert(identity).inserted else { return }
        for name in try directory.list(limit: namesLeft + 1).names.sorted() {
            guard namesLeft > 0, result.databases.count < options.databaseLimit else {
                result.isCut = true
                return
            }
            namesLeft -= 1
            attempt { (search) throws(SystemError) in
                try search.look(at: name, in: directory, depth: depth)
            }
        }
    }

    private mutating func look(
        at name: String, in directory: Directory, depth: Int
    ) throws(SystemError) {
        guard let status = try directory.status(of: name) else { return }
        switch status.kind {
        case .directory:
            guard depth < options.depthLimit else {
                result.isCut = true
                return
            }
            try look(through: try directory.openDirectory(name), depth: depth + 1)
        case .regular:
            let isOpenHere = openHere?.contains(status.identity) != false
            guard status.sizeBytes >= 512, seen.insert(status.identity).inserted,
                try isOpenHere ? hasUsualName(name) : isDatabase(name, in: directory)
            else { return }
            result.databases.append(
                FoundDatabase(
                    path: directory.path(of: name), sizeBytes: status.sizeBytes,
                    isOpenHere: isOpenHere))
        case .symbolicLink, .other: return
        }
    }

    private func hasUsualName(_ name: String) -> Bool {
        Self.usualSuffixes.contains { name.hasSuffix($0) }
    }

    private func isDatabase(_ name: String, in directory: Directory) throws(SystemError) -> Bool {
        let file = try directory.openForReading(name)
        defer { OpenFiles.release(file) }
        return try file.readAll(limit: Self.magic.count) == Self.magic
    }
}
