// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// The file system of programs: this machine's, or one below a directory.
package struct SystemRoot: Sendable {
    package let path: String?
    private let directory: RootDirectory?

    /// - Parameter path: nil or `/` for this machine's.
    /// - Throws: if there is no such directory.
    package init(_ path: String? = nil) throws(SystemError) {
        let real = try path.map { path throws(SystemError) in try realPath(of: path) }
        self.path = real == "/" ? nil : real
        directory = try self.path.map { path throws(SystemError) in
            try RootDirectory(opening: path)
        }
    }

    func locate(_ place: ProgramPlace) -> String? {
        guard let directory, place.isInRoot else { return try? realPath(of: place.path) }
        return try? directory.resolved(place.path)
    }

    func place(of real: String) -> ProgramPlace {
        guard let path else { return ProgramPlace(path: real, isInRoot: true) }
        guard real.hasPrefix(path + "/") else { return ProgramPlace(path: real, isInRoot: false) }
        return ProgramPlace(path: String(real.dropFirst(path.count)), isInRoot: true)
    }

    var debugDirectories: [String] {
        path.map { [$0 + "/usr/lib/debug"] } ?? []
    }

    var loaderCache: LoaderCache {
        let place = ProgramPlace(path: "/etc/ld.so.cache", isInRoot: true)
        guard let path = locate(place), let bytes = try? ForeignFile.contents(of: path) else {
            return LoaderCache()
        }
        return LoaderCache(bytes)
    }
}

struct ProgramPlace: Sendable, Hashable {
    let path: String
    /// Whether that is the `SystemRoot`'s. A program may be outside, its libraries inside.
    let isInRoot: Bool

    /// `$ORIGIN` of ld.so(8).
    var directory: String { path.parentPath }
}
