// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphSymbolStore
import EpitaphSystem
import EpitaphValues
import Glibc

/// Source files for the lines beside frames, from this machine or else from symbol servers.
///
/// Their paths come from debug information, which is half trusted, as the program's builder chose
/// them. So only regular files of bounded size are read that the program's owner may show to
/// everyone: world-readable files and the owner's own.
final class SourceFiles: SourceText {
    private static let mostBytes = 4 << 20
    private static let mostColumns = 200

    private struct Key: Hashable {
        let file: String
        let module: String
    }
    private var known: [Key: [Substring]] = [:]
    private let servers: SymbolServers?

    init(_ servers: SymbolServers?) {
        self.servers = servers
    }

    func excerpt(of file: String, line: Int, in module: ModuleSnapshot) -> SourceExcerpt? {
        let key = Key(file: file, module: module.path)
        let lines = known[key] ?? lines(of: file, in: module)
        known[key] = lines
        guard line > 0, line <= lines.count else { return nil }
        let first = max(line - 1, 1)
        let last = min(line + 1, lines.count)
        return SourceExcerpt(
            firstLine: first, lines: lines[first - 1..<last].map(Self.shown), line: line)
    }

    private func lines(of path: String, in module: ModuleSnapshot) -> [Substring] {
        let own = Self.ownLines(of: path, in: module)
        guard own.isEmpty, let servers, path.hasPrefix("/"), !module.buildID.isEmpty,
            !module.isBuildIDCut
        else { return own }
        let request = SymbolRequest(.source(path), buildID: module.buildID, module: module.name)
        return servers.file(request) { file in
            let contents = try? FileBytes.contents(of: file.descriptor)
            guard let contents, contents.count <= Self.mostBytes else {
                return .refused("it is too long")
            }
            let bytes = contents.array
            guard !bytes.isEmpty, !bytes.contains(0) else {
                return .refused("it is not text")
            }
            return .accepted(Self.split(bytes))
        } ?? []
    }

    private static func ownLines(of path: String, in module: ModuleSnapshot) -> [Substring] {
        guard path.hasPrefix("/"), let program = status(of: module.path),
            let file = try? ForeignFile.open(path, followsLink: false),
            let source = try? file.status(), source.st_size <= mostBytes,
            isNotNewer(source, than: program),
            source.st_mode & S_IROTH != 0 || source.st_uid == program.st_uid,
            let bytes = try? file.readAll(limit: mostBytes), !bytes.contains(0)
        else { return [] }
        return split(bytes)
    }

    private static func split(_ bytes: [UInt8]) -> [Substring] {
        String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    private static func status(of path: String) -> stat? {
        try? ForeignFile.open(path).status()
    }

    /// A file changed after the build may have other lines.
    private static func isNotNewer(_ source: stat, than program: stat) -> Bool {
        (source.st_mtim.tv_sec, source.st_mtim.tv_nsec)
            <= (program.st_mtim.tv_sec, program.st_mtim.tv_nsec)
    }

    /// With tabs as blanks, cut to an ordinary length.
    private static func shown(_ line: Substring) -> String {
        let text = line.replacing("\t", with: "    ")
        let columns = text.unicodeScalars
        guard columns.count > mostColumns else { return String(text) }
        return String(String.UnicodeScalarView(columns.prefix(mostColumns))) + "…"
    }
}
