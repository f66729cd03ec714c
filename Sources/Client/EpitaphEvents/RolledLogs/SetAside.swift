// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The hidden name that a file has between the decision to delete it and its deletion.
///
/// unlinkat(2) deletes by name, and a logger may give that name to another file at any time. So the
/// file is first renamed to a unique name, and deleted once it is confirmed to be the right one.
/// docs/decisions/other-uploads.md
struct SetAside: Equatable {
    /// The id of the file to be deleted.
    let id: Epitaph.ID
    /// What the file was called.
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

    /// If the original name is too long, only its end is included, which distinguishes a log from
    /// other files: it becomes the file's name again if this process dies now.
    var name: String {
        let start = Self.prefix + id.description + "-"
        var end = originalName[...]
        while start.utf8.count + end.utf8.count > Self.longestName { end = end.dropFirst() }
        return start + end
    }
}
