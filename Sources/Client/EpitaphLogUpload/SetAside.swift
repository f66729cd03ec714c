// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The hidden name of a file that is about to be deleted.
///
/// unlinkat(2) deletes by name, which a logger may give to another file at any time. So the file is
/// renamed to a unique name and deleted once it proves to be the right one.
/// docs/decisions/other-uploads.md
struct SetAside: Equatable {
    let id: Epitaph.ID
    let originalName: String

    private static let prefix = ".epitaph-"
    private static let idLength = 36
    /// NAME_MAX of limits.h, in bytes.
    private static let longestName = 255

    init(id: Epitaph.ID, originalName: String) {
        self.id = id
        self.originalName = originalName
    }

    /// Nil if the name is not of this form.
    init?(name: String) {
        guard name.hasPrefix(Self.prefix) else { return nil }
        let rest = name.dropFirst(Self.prefix.count)
        let original = rest.dropFirst(Self.idLength)
        guard let id = Epitaph.ID(String(rest.prefix(Self.idLength))),
            original.hasPrefix("-"), original.count > 1
        else { return nil }
        self.init(id: id, originalName: String(original.dropFirst()))
    }

    /// Of a name that is too long, only the end is kept, which makes it a log's: it becomes the
    /// file's name again if this process dies now.
    var name: String {
        let start = Self.prefix + id.description + "-"
        var end = originalName[...]
        while start.utf8.count + end.utf8.count > Self.longestName { end = end.dropFirst() }
        return start + end
    }
}
