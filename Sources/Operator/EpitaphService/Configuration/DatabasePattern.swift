// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

package struct DatabasePattern: Sendable, Hashable {
    /// The programs' default directory for databases.
    package static let usualPlace = "/var/lib/epitaph"
    package static let usual = DatabasePattern(parent: usualPlace, name: "*")

    package let parent: String
    package let name: String
}

extension DatabasePattern {
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
        path.parentPath == parent && matches(name: path.lastPathComponent[...])
    }

    /// As in shells, a leading dot must be matched explicitly.
    func matches(name candidate: Substring) -> Bool {
        guard isPattern else { return candidate == name }
        guard !candidate.hasPrefix(".") || name.hasPrefix(".") else { return false }
        // Only `*` of a shell's patterns is supported.
        let literal = ["\\", "?", "["].reduce(name) { $0.replacing($1, with: "\\\($1)") }
        return Epitaph.GlobPattern(literal).matches(String(candidate))
    }

    /// The paths of existing directories, sorted, and links that are not followed, with the reason;
    /// without `*` the path itself, even if missing.
    ///
    /// With `DynamicUser=` the directory is in `/var/lib/private` with a link in its place,
    /// systemd.exec(5). A link to a directory beside it is left out.
    ///
    /// - Throws: if the parent cannot be read; a missing one has none.
    package func paths() throws(SystemError) -> (found: [String], skipped: [String]) {
        guard isPattern else { return ([path], []) }
        do throws(SystemError) {
            let directory = try Directory(named: parent)
            let names = try directory.list(limit: 10_000).names.filter { matches(name: $0[...]) }
            var found: [String] = []
            var skipped: [String] = []
            for name in names.sorted() {
                let path = parent == "/" ? "/\(name)" : "\(parent)/\(name)"
                switch (try? directory.status(of: name))?.kind {
                case .directory: found.append(path)
                case .symbolicLink:
                    do throws(SystemError) {
                        if try Self.leadsElsewhere(path, than: directory) { found.append(path) }
                    } catch {
                        skipped.append("\(path) is not watched: \(Self.reason(error))")
                    }
                default: continue
                }
            }
            return (found, skipped)
        } catch {
            if error.isNotFound { return ([], []) }
            throw error
        }
    }

    private static func leadsElsewhere(
        _ link: String, than parent: Directory
    ) throws(SystemError) -> Bool {
        let place = try Directory(named: Directory(named: link).path + "/..")
        return try place.fileStatus().identity != parent.fileStatus().identity
    }

    private static func reason(_ error: SystemError) -> String {
        error.isNotPermitted
            ? "it is a link of another user, who may have pointed it anywhere"
            : "the link cannot be followed: \(error)"
    }
}
