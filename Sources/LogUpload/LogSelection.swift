// SPDX-License-Identifier: Apache-2.0

/// Which names in a directory are logs that a logger has rolled.
public struct LogSelection: Sendable, Equatable {
    /// Names a rolled file may have.
    public var rolled: [GlobPattern]
    /// Names that are never touched, whatever `rolled` says: of the files being logged to.
    public var excluded: [GlobPattern]

    public init(rolled: [GlobPattern], excluded: [GlobPattern] = []) {
        self.rolled = rolled
        self.excluded = excluded
    }

    /// `app.log.1`, `app.log-20261121`, and what compression makes of them.
    public static let standard = LogSelection(
        rolled: [GlobPattern("*.log.*"), GlobPattern("*.log-*")])

    /// Hidden files, and those that are still being made under a name of their own, are no logs.
    public func includes(_ name: String) -> Bool {
        !name.hasPrefix(".") && !Self.unfinishedEndings.contains(where: name.hasSuffix)
            && rolled.contains { $0.matches(name) }
            && !excluded.contains { $0.matches(name) }
    }

    /// What a compressor appends to the name of the file it replaces.
    static let compressedEndings = [".gz", ".zst", ".xz", ".bz2", ".lz4", ".Z"]

    private static let unfinishedEndings = [
        "~", ".tmp", ".temp", ".part", ".partial", ".swp", ".lock",
    ]
}
