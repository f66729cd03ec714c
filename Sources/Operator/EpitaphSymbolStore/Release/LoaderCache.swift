// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// /etc/ld.so.cache: glibc's `sysdeps/generic/dl-cache.h`, `struct cache_file_new`.
struct LoaderCache: Sendable {
    private static let magic = Array("glibc-ld.so.cache1.1".utf8)
    private static let oldMagic = Array("ld.so-1.7.0".utf8)
    private static let headerBytes = 48
    private static let entryBytes = 24
    /// Debian's largest packages together have some ten thousand libraries.
    private static let entryLimit = 1 << 18

    private let paths: [String: [String]]

    init() {
        paths = [:]
    }

    /// Invalid files have no entries; damaged entries are skipped.
    init(_ file: ByteSlice) {
        var list = file
        if file.slice(from: 0, length: Self.oldMagic.count).array == Self.oldMagic {
            // The new list is behind the old one, whose entries have 12 bytes, aligned to 8.
            let count = Int(file.load(at: 12, as: UInt32.self) ?? 0)
            list = file.slice(from: (16 + count * 12 + 7) / 8 * 8)
        }
        guard list.slice(from: 0, length: Self.magic.count).array == Self.magic,
            let count = list.load(at: 20, as: UInt32.self)
        else {
            paths = [:]
            return
        }
        var paths: [String: [String]] = [:]
        for index in 0..<min(Int(count), Self.entryLimit) {
            let entry = Self.headerBytes + index * Self.entryBytes
            guard let key = list.load(at: entry + 4, as: UInt32.self),
                let value = list.load(at: entry + 8, as: UInt32.self)
            else { break }
            guard let name = Self.text(list, at: key), let path = Self.text(list, at: value),
                path.hasPrefix("/")
            else { continue }
            paths[name, default: []].append(path)
        }
        self.paths = paths
    }

    /// For all processors and generations: the machine determines which one is loaded.
    func paths(of name: String) -> [String] { paths[name] ?? [] }

    private static func text(_ list: ByteSlice, at offset: UInt32) -> String? {
        // PATH_MAX
        let rest = list.slice(from: Int(offset), length: 4_096)
        return rest.withUnsafeBytes { bytes in
            bytes.firstIndex(of: 0).flatMap { end in
                end > 0 ? String(decoding: bytes[..<end], as: UTF8.self) : nil
            }
        }
    }
}
