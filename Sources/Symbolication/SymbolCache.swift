// SPDX-License-Identifier: Apache-2.0

import Bytes
import ELFImage
import StackUnwinding
import Synchronization

/// Opened debug information, kept from one report to the next: reports of one program name the same
/// few files, and to open one costs more than all that is asked of it.
///
/// A file's information is with one symbolicator at a time: libdw's handles are not for several
/// threads. Who finds it taken opens the file again.
public final class SymbolCache: Sendable {
    /// Bytes of the files whose information is kept while nobody uses it. One file is kept whatever
    /// its size, as it is while one report is read.
    private static let byteLimit = 64 << 20

    private let free = Mutex<[Entry]>([])

    public init() {}

    /// Which bytes are read, and how. Two files of one path and build id are still two files: what
    /// counts are the very bytes in memory, which stay there as long as the entry does.
    struct Key: Hashable {
        private struct File: Hashable {
            let bytes: ByteSlice.Identity
            let path: String
        }

        private let files: [File]
        private let sources: Symbolicator.Sources

        init(_ files: [LocatedImage], _ sources: Symbolicator.Sources) {
            self.sources = sources
            self.files = files.map { File(bytes: $0.image.bytes.identity, path: $0.path) }
        }
    }

    // Sendable: handed to one symbolicator at a time.
    private struct Entry: @unchecked Sendable {
        let key: Key
        let symbols: ModuleSymbols
    }

    /// What is known of a module's files; it belongs to the caller until it is given back.
    func take(_ images: ModuleImages, _ sources: Symbolicator.Sources) -> ModuleSymbols {
        let files = [images.code, images.debug].compactMap(\.self)
        // What came in a report is not shared with others.
        guard !files.isEmpty, files.allSatisfy(\.isInstalled) else {
            return ModuleSymbols(files, sources, key: nil)
        }
        let key = Key(files, sources)
        let known = free.withLock { free in
            free.firstIndex { $0.key == key }.map { free.remove(at: $0) }
        }
        guard let known else { return ModuleSymbols(files, sources, key: key) }
        known.symbols.renew()
        return known.symbols
    }

    func giveBack(_ symbols: some Sequence<ModuleSymbols>) {
        let entries = symbols.compactMap { symbols in
            symbols.key.map { Entry(key: $0, symbols: symbols) }
        }
        // Released outside the lock.
        let surplus = free.withLock { free -> [Entry] in
            // Several of one key where several asked at once: one will do.
            let keys = Set(entries.map(\.key))
            free.removeAll { keys.contains($0.key) }
            free += entries
            var surplus: [Entry] = []
            while free.count > 1,
                free.reduce(0, { $0 + $1.symbols.fileByteCount }) > Self.byteLimit
            {
                surplus.append(free.removeFirst())
            }
            return surplus
        }
        _ = surplus
    }
}
