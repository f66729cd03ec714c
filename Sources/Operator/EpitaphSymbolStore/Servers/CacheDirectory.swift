// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// The cache of libdebuginfod: debuginfod_find_debuginfo(3), "CACHE".
package struct CacheDirectory: Sendable, Equatable {
    package let path: String
    /// Whether the user chose this directory.
    package let isChosen: Bool
}

extension CacheDirectory {
    /// By the rules of libdebuginfod, from variables that are set and not empty; perhaps nil.
    package init?(
        variable: (String) -> String?, exists: (String) -> Bool
    ) {
        if let chosen = variable("DEBUGINFOD_CACHE_PATH") {
            self.init(path: chosen, isChosen: true)
            return
        }
        let home = variable("HOME")
        // Versions before 0.182 had it there, and later ones still use it.
        if let old = home.map({ $0 + "/.debuginfod_client_cache" }), exists(old) {
            self.init(path: old, isChosen: false)
            return
        }
        guard let base = variable("XDG_CACHE_HOME") ?? home.map({ $0 + "/.cache" }) else {
            return nil
        }
        self.init(path: base + "/debuginfod_client", isChosen: false)
    }

    /// Why this process must not or cannot keep files there, as a clause; nil if it can.
    ///
    /// root creates nothing in another user's directory, as with that user's HOME: the user would
    /// not own the files. A directory chosen for the cache is used as it is.
    func objection(_ place: (String) -> Place?) -> String? {
        guard path.hasPrefix("/") else { return "\(path) is not an absolute path" }
        var existing = path
        while place(existing) == nil, existing != "/" { existing = existing.parent }
        guard let found = place(existing) else { return "/ cannot be read" }
        guard found.isDirectory else { return "\(existing) is not a directory" }
        if !isChosen, !found.isOwn { return "\(existing) belongs to another user" }
        return found.isWritable ? nil : "\(existing) cannot be written to"
    }

    struct Place {
        var isDirectory = true
        var isOwn = true
        var isWritable = true
    }
}

extension String {
    fileprivate var parent: String {
        let names = split(separator: "/").dropLast()
        return "/" + names.joined(separator: "/")
    }
}
