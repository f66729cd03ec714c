// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// A database, or all databases in a directory whose names match: `/var/lib/epitaph/*`.
package struct DatabasePattern: Sendable, Hashable {
    /// The programs' default directory for databases.
    package static let usualPlace = "/var/lib/epitaph"
    package static let usual = DatabasePattern(parent: usualPlace, name: "*")

    package let parent: String
    /// The name of the database; `*` stands for any characters.
    package let name: String
}

extension DatabasePattern {
    /// Nil for anything but an absolute path or a plain name.
    init?(_ text: String) {
        guard !text.utf8.contains(0) else { return nil }
        guard text.hasPrefix("/") else {
            guard Self.isPlain(text) else { return nil }
            self.init(parent: Self.usualPlace, name: text)
            return
        }
        let parts = text.split(separator: "/").map(String.init)
        guard let last = parts.last, parts.allSatisfy(Self.isPlain),
            !parts.dropLast().contains(where: { $0.contains("*") })
        else { return nil }
        self.init(parent: "/" + parts.dropLast().joined(separator: "/"), name: last)
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.contains("/")
    }

    package var isPattern: Bool { name.contains("*") }

    package var path: String { parent == "/" ? "/\(name)" : "\(parent)/\(name)" }

    package func matches(_ path: String) -> Bool {
        guard let slash = path.lastIndex(of: "/") else { return false }
        let start = path[..<slash]
        guard (start.isEmpty ? "/" : start) == parent else { return false }
        return matches(name: path[slash...].dropFirst())
    }

    /// As in shells, a leading dot must be matched explicitly.
    func matches(name candidate: Substring) -> Bool {
        guard isPattern else { return candidate == name }
        guard !candidate.hasPrefix(".") || name.hasPrefix(".") else { return false }
        // Of the forms of shells only `*` is one here.
        let literal = ["\\", "?", "["].reduce(name) { $0.replacing($1, with: "\\\($1)") }
        return Epitaph.GlobPattern(literal).matches(String(candidate))
    }

    /// The paths of existing directories, sorted; without `*` the path itself, even if missing.
    ///
    /// - Throws: if the parent cannot be read; a missing one has none.
    package func paths() throws(SystemError) -> [String] {
        guard isPattern else { return [path] }
        do throws(SystemError) {
            let directory = try Directory(named: parent)
            let names = try directory.list(limit: 10_000).names
            return names.filter { name in
                matches(name: name[...])
                    && ((try? directory.status(of: name))?.kind ?? .other) == .directory
            }.sorted().map { parent == "/" ? "/\($0)" : "\(parent)/\($0)" }
        } catch {
            if error.isNotFound { return [] }
            throw error
        }
    }
}
