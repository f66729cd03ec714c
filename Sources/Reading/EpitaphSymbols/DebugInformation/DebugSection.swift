// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

/// A section for libdw: its bytes in the file, and how to inflate them.
package struct DebugSection {
    enum Form: Equatable {
        case plain
        /// zlib's format behind a header of this size.
        case zlib(headerBytes: Int)
        /// A frame of zstd behind an `Elf64_Chdr`.
        case zstd
        /// Compressed in a way that only libelf may know.
        case other
    }

    var name: String
    let bytes: ByteSlice
    var form: Form
    /// Inflated size in bytes.
    let size: Int

    /// Deflate's limit: zlib's technical details.
    private static let largestRatio = 1032

    init(name: String, bytes: ByteSlice) {
        self.name = name
        self.bytes = bytes
        form = .plain
        size = bytes.count
    }

    /// Nil without bytes, or with an impossible size.
    package init?(_ section: ELFSection, of image: ELFImage) {
        let bytes = image.contents(of: section)
        guard !bytes.isEmpty else { return nil }
        self.init(name: section.name, bytes: bytes)
        guard section.isCompressed || name.hasPrefix(".zdebug_") else { return }
        guard let (form, size) = section.isCompressed ? Self.chosen(bytes) : Self.gnu(bytes)
        else { return nil }
        self = Self(name: name, bytes: bytes, form: form, size: size)
    }

    private init(name: String, bytes: ByteSlice, form: Form, size: Int) {
        self.name = name
        self.bytes = bytes
        self.form = form
        self.size = size
    }

    /// Elf64_Chdr, elf(5). ELFCOMPRESS_ZLIB is 1, _ZSTD 2: gABI, chapter 4, "Compression".
    private static func chosen(_ bytes: ByteSlice) -> (Form, Int)? {
        guard let type = bytes.load(at: 0, as: UInt32.self),
            let size = bytes.load(at: 8, as: UInt64.self).flatMap({ Int(exactly: $0) }),
            bytes.count > 24
        else { return nil }
        switch type {
        case 1: return isPossible(size, of: bytes.count - 24) ? (.zlib(headerBytes: 24), size) : nil
        // A block of 128 KiB may take four bytes: RFC 8878, 3.1.1.2.
        case 2: return size > 0 && size / (128 << 10) <= bytes.count ? (.zstd, size) : nil
        default: return (.other, size)
        }
    }

    /// "ZLIB" and the big-endian size: the older GNU form.
    private static func gnu(_ bytes: ByteSlice) -> (Form, Int)? {
        guard bytes.slice(from: 0, length: 4).array == Array("ZLIB".utf8),
            let size = bytes.load(at: 4, as: UInt64.self).flatMap({ Int(exactly: $0.byteSwapped) }),
            bytes.count > 12
        else { return nil }
        return isPossible(size, of: bytes.count - 12) ? (.zlib(headerBytes: 12), size) : nil
    }

    /// Bytes before the compressed ones.
    var headerBytes: Int {
        switch form {
        case .plain, .other: 0
        case .zlib(let headerBytes): headerBytes
        case .zstd: 24
        }
    }

    private static func isPossible(_ size: Int, of payload: Int) -> Bool {
        size > 0 && size / largestRatio <= payload
    }
}

extension DebugSection {
    /// With names and lines. Not those of links to other files, which only our code follows.
    static func needed(of image: ELFImage) -> [DebugSection] {
        var known: Set<String> = []
        return image.sections.compactMap { section in
            let plainName =
                section.name.hasPrefix(".zdebug_") ? "." + section.name.dropFirst(2) : section.name
            guard neededNames.contains(plainName), known.insert(plainName).inserted else {
                return nil
            }
            return DebugSection(section, of: image)
        }
    }

    private static let neededNames: Set<String> = {
        let names = [
            "abbrev", "addr", "info", "line", "line_str", "ranges", "rnglists", "str",
            "str_offsets", "types",
        ].map { ".debug_" + $0 }
        return Set(names + names.map { $0 + ".dwo" })
    }()
}
