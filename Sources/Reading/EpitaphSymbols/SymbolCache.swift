// SPDX-License-Identifier: Apache-2.0

import EpitaphUnwinding
import EpitaphValues
import Synchronization

/// Keeps opened debug information between reports: reports of a program name the same few files,
/// and opening one costs more than all lookups in it. libdw's handles are not thread-safe, so a
/// second symbolicator opens the file again.
package final class SymbolCache: Sendable {
    /// While files take more memory, nothing is kept, because the current report needs it.
    private static let byteLimit = HeldMemory.limitBytes / 2

    private let free = Mutex<[Entry]>([])

    package init() {}

    /// Files can share path and build id, so the key has their bytes in memory, which entries keep.
    struct Key: Hashable {
        private struct Bytes: Hashable {
            let owner: ObjectIdentifier
            let range: Range<Int>
            let path: String
        }

        private let files: [Bytes]
        private let sources: Symbolicator.Sources

        init(
            _ files: [LocatedImage], _ symbolFile: LocatedSymbolFile?,
            _ sources: Symbolicator.Sources
        ) {
            self.sources = sources
            let contents =
                files.map { ($0.image.bytes, $0.path) }
                + [symbolFile].compactMap(\.self).map { ($0.file.bytes, $0.path) }
            self.files = contents.map { bytes, path in
                Bytes(owner: bytes.ownerIdentity, range: bytes.range, path: path)
            }
        }
    }

    // Sendable: used by one symbolicator at a time.
    private struct Entry: @unchecked Sendable {
        let key: Key
        let symbols: ModuleSymbols
    }

    /// The caller owns the result until given back.
    func take(_ images: ModuleImages, _ sources: Symbolicator.Sources) -> ModuleSymbols {
        let files = [images.code, images.debug].compactMap(\.self)
        // Files that came with a report are not shared with other reports.
        guard !files.isEmpty || images.symbolFile != nil, files.allSatisfy(\.isInstalled) else {
            return ModuleSymbols(images, sources, key: nil)
        }
        let key = Key(files, images.symbolFile, sources)
        makeRoom()
        let known = free.withLock { free in
            free.firstIndex { $0.key == key }.map { free.remove(at: $0) }
        }
        guard let known else { return ModuleSymbols(images, sources, key: key) }
        known.symbols.renew()
        return known.symbols
    }

    func giveBack(_ symbols: some Sequence<ModuleSymbols>) {
        let entries = symbols.compactMap { symbols -> Entry? in
            // Information skipped for lack of memory is read again.
            guard let key = symbols.key, symbols.problem == nil else { return nil }
            return Entry(key: key, symbols: symbols)
        }
        let replaced = free.withLock { free -> [Entry] in
            // If several symbolicators opened the same files, one entry is enough.
            let keys = Set(entries.map(\.key))
            let replaced = free.filter { keys.contains($0.key) }
            free.removeAll { keys.contains($0.key) }
            free += entries
            return replaced
        }
        // Released outside the lock.
        _ = replaced
        makeRoom()
    }

    private func makeRoom() {
        while HeldMemory.heldBytes > Self.byteLimit {
            let oldest = free.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            guard oldest != nil else { return }
        }
    }
}
