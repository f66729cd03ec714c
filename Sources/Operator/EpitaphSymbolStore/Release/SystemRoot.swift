// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// The file system in which programs run: this machine's, or one below a directory, as that of a
/// container or of a cross compiler.
package struct SystemRoot: Sendable {
    /// Nil for this machine's own.
    package let path: String?
    private let directory: RootDirectory?

    /// - Parameter path: nil or `/` for this machine's own file system.
    /// - Throws: if there is no such directory.
    package init(_ path: String? = nil) throws(SystemError) {
        let real = try path.map { path throws(SystemError) in try realPath(of: path) }
        self.path = real == "/" ? nil : real
        directory = try self.path.map { path throws(SystemError) in
            try RootDirectory(opening: path)
        }
    }

    /// Where on this machine a place is, without symbolic links; nil if nothing is there.
    func locate(_ place: ProgramPlace) -> String? {
        guard let directory, place.isInRoot else { return try? realPath(of: place.path) }
        return try? directory.resolved(place.path)
    }

    /// The place of a path of this machine.
    func place(of real: String) -> ProgramPlace {
        guard let path else { return ProgramPlace(path: real, isInRoot: true) }
        guard real.hasPrefix(path + "/") else { return ProgramPlace(path: real, isInRoot: false) }
        return ProgramPlace(path: String(real.dropFirst(path.count)), isInRoot: true)
    }

    /// The directories of debug packages in it.
    var debugDirectories: [String] {
        path.map { [$0 + "/usr/lib/debug"] } ?? []
    }

    /// ld.so's list; empty if there is none.
    var loaderCache: LoaderCache {
        let place = ProgramPlace(path: "/etc/ld.so.cache", isInRoot: true)
        guard let path = locate(place), let bytes = try? ForeignFile.contents(of: path) else {
            return LoaderCache()
        }
        return LoaderCache(bytes)
    }
}

/// A path as a program sees it.
struct ProgramPlace: Sendable, Hashable {
    /// From the root directory that the program has.
    let path: String
    /// Whether that is the `SystemRoot`'s. A program may lie outside of it, and have its libraries
    /// in it.
    let isInRoot: Bool

    /// `$ORIGIN` of ld.so(8): the directory that the file is in.
    var directory: String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
}
