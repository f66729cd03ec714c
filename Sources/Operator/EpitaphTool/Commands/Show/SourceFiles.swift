// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphSymbolStore
import EpitaphSystem
import EpitaphUnwinding
import EpitaphValues
import Glibc

/// Source files for the lines beside frames, from this machine or else from symbol servers.
///
/// Their paths come from debug information, whose author chose them. So only regular files of
/// bounded size are read, with the rights that the owners of the program, of its debug files and of
/// the report have in common: docs/decisions/rights.md. Debug files from the user's directories,
/// other systems and servers have no more rights than everybody.
final class SourceFiles: SourceText {
    private static let mostBytes = 4 << 20
    private static let mostColumns = 200

    private struct Key: Hashable {
        let file: String
        let module: String
    }
    private var known: [Key: [Substring]] = [:]
    private let servers: SymbolServers?
    private let images: any ELFImageSource
    private let reportOwner: UInt32?

    /// The default of /proc/sys/kernel/overflowuid: nobody's files are this user's.
    private static let everybody: UInt32 = 65_534

    /// - Parameters:
    ///   - images: the files that the explanation has its lines from.
    ///   - reportOwner: nil for who runs this program.
    init(_ servers: SymbolServers?, _ images: any ELFImageSource, reportOwner: UInt32?) {
        self.servers = servers
        self.images = images
        self.reportOwner = reportOwner
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
        let own = ownLines(of: path, in: module)
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

    private func ownLines(of path: String, in module: ModuleSnapshot) -> [Substring] {
        guard path.hasPrefix("/"), let program = Self.status(of: module.path) else { return [] }
        let authors = authors(of: module).union([program.st_uid, reportOwner ?? program.st_uid])
        guard let file = Self.open(path, as: authors),
            let source = try? file.status(), source.st_size <= Self.mostBytes,
            Self.isNotNewer(source, than: program),
            source.st_mode & S_IROTH != 0 || authors == [source.st_uid],
            let bytes = try? file.readAll(limit: Self.mostBytes), !bytes.contains(0)
        else { return [] }
        return Self.split(bytes)
    }

    /// Whoever can have written the debug information.
    private func authors(of module: ModuleSnapshot) -> Set<UInt32> {
        let found = images.images(for: module)
        let files = [found.code, found.candidate, found.debug, found.alternate]
        let owners = files.compactMap(\.self).map { $0.ownerID ?? Self.everybody }
        return Set(owners + (found.symbolFile == nil ? [] : [Self.everybody]))
    }

    /// Nil unless each of `users` may open it. Who is not root has only its own rights anyway.
    private static func open(_ path: String, as users: Set<UInt32>) -> FileDescriptor? {
        let others = FileSystemIdentity.isRoot ? users.filter { $0 != 0 } : []
        let files = others.map { user in
            try? FileSystemIdentity(userID: user).during { () throws(SystemError) in
                try ForeignFile.open(path, followsLink: false)
            }.get()
        }
        guard !files.isEmpty else { return try? ForeignFile.open(path, followsLink: false) }
        let identities = Set(files.map { try? $0?.fileStatus().identity })
        return identities.count == 1 ? files[0] : nil
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
