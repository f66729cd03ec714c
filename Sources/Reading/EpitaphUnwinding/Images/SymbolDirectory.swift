// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphValues
import Synchronization

/// ELF files by build id and Breakpad symbol files below a user's directory. Read once, on demand.
final class SymbolDirectory {
    /// The most files and directories read: the tree may be a whole file system, or contain itself.
    private let limit: Int
    static let usualLimit = 100_000
    /// Enough to recognise the kind of file.
    private static let magicBytes = 64
    /// Linkers put the build id behind the headers, so gigabytes need not be read.
    private static let headBytes = 1 << 16

    let path: String
    private var isCut = false
    private lazy var contents = index()

    private struct Contents {
        var images: [(buildID: [UInt8], path: String)] = []
        var symbolFiles: [(header: SymbolFileHeader, path: String)] = []
    }

    init(_ path: String, limit: Int = usualLimit) {
        self.path = path
        self.limit = limit
    }

    func files(of module: ModuleSnapshot) -> [String] {
        contents.images.filter { module.isBuild($0.buildID) }.map(\.path)
    }

    func symbolFiles(
        named name: String, identifier: String
    ) -> [(header: SymbolFileHeader, path: String)] {
        contents.symbolFiles.filter { $0.header.name == name || $0.header.identifier == identifier }
    }

    /// Says that the search was cut short, as a sentence without a full stop.
    var note: String? {
        guard isCut else { return nil }
        return "only the first \(limit) files and directories below \(path) were searched"
    }

    private func index() -> Contents {
        var found = Contents()
        var waiting = [path]
        var left = limit
        while let path = waiting.popLast() {
            guard left > 0 else {
                isCut = true
                break
            }
            left -= 1
            guard let listing = try? Directory(opening: path).list(limit: limit) else {
                Self.add(path, to: &found)
                continue
            }
            // Files beyond the limit need not be remembered.
            let names = listing.names.sorted().prefix(left)
            isCut = isCut || !listing.isComplete || names.count < listing.names.count
            waiting += names.reversed().map { "\(path)/\($0)" }
            if waiting.count > limit {
                isCut = true
                waiting.removeFirst(waiting.count - limit)
            }
        }
        return found
    }

    private static func add(_ path: String, to found: inout Contents) {
        guard let file = try? ForeignFile.open(path, followsLink: false),
            let magic = try? file.readAll(limit: magicBytes)
        else { return }
        if magic.starts(with: elfMagic) {
            guard let rest = try? file.readAll(limit: headBytes - magic.count),
                let image = try? ELFImage(ByteSlice(magic + rest)), !image.buildID.isEmpty
            else { return }
            found.images.append((image.buildID, path))
        } else if SymbolFileHeader.isBeginning(magic) {
            guard let rest = try? file.readAll(limit: SymbolFileHeader.mostBytes - magic.count),
                let header = SymbolFileHeader(ByteSlice(magic + rest))
            else { return }
            found.symbolFiles.append((header, path))
        }
    }

    /// elf(5), e_ident
    private static let elfMagic: [UInt8] = [0x7f, 0x45, 0x4c, 0x46]
}

final class SearchedDirectories: Sendable {
    let paths: [String]
    private let directories: Mutex<[SymbolDirectory]>

    init(_ paths: [String]) {
        self.paths = paths
        directories = Mutex(paths.map { SymbolDirectory($0) })
    }

    func files(of module: ModuleSnapshot) -> [String] {
        directories.withLock { $0.flatMap { $0.files(of: module) } }
    }

    func symbolFiles(
        named name: String, identifier: String
    ) -> [(header: SymbolFileHeader, path: String)] {
        directories.withLock { $0.flatMap { $0.symbolFiles(named: name, identifier: identifier) } }
    }

    /// Notes on incomplete searches, as sentences without a full stop.
    var notes: [String] { directories.withLock { $0.compactMap(\.note) } }
}
