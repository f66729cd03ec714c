// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

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
        let pieces = name.split(separator: "*", omittingEmptySubsequences: false)
        guard let first = pieces.first, let last = pieces.last, candidate.hasPrefix(first),
            candidate.utf8.count >= first.utf8.count + last.utf8.count
        else { return false }
        var rest = candidate.dropFirst(first.count)
        guard rest.hasSuffix(last) else { return false }
        rest = rest.dropLast(last.count)
        // The earliest match leaves most for the pieces behind it.
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let found = rest.firstRange(of: piece) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
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
