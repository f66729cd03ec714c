// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The hidden name a file has for the moment between the decision to delete it and its deletion.
///
/// unlinkat(2) goes by the name, and a logger may give that name to another file at any time. So
/// the file is renamed first, to a name of its own, and deleted once it is seen to be the right one
/// under it. docs/decisions/deleting-what-is-renamed.md
struct SetAside: Equatable {
    /// Of the file that is meant.
    let id: UUID
    /// What the file was called.
    let originalName: String

    private static let prefix = ".epitaph-"
    private static let idLength = 36
    /// NAME_MAX of limits.h, in bytes.
    private static let longestName = 255

    init(id: UUID, originalName: String) {
        self.id = id
        self.originalName = originalName
    }

    /// Nil for a name that is no such.
    init?(name: String) {
        guard name.hasPrefix(Self.prefix) else { return nil }
        let rest = name.dropFirst(Self.prefix.count)
        let original = rest.dropFirst(Self.idLength)
        guard let id = UUID(uuidString: String(rest.prefix(Self.idLength))),
            original.hasPrefix("-"), original.count > 1
        else { return nil }
        self.init(id: id, originalName: String(original.dropFirst()))
    }

    /// Of an original name that leaves no room only the end is in it, which distinguishes a log
    /// from other files: it is what the file gets back should this process die now.
    var name: String {
        let start = Self.prefix + id.uuidString.lowercased() + "-"
        var end = originalName[...]
        while start.utf8.count + end.utf8.count > Self.longestName { end = end.dropFirst() }
        return start + end
    }
}
