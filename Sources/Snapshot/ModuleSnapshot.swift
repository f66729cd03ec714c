// SPDX-License-Identifier: Apache-2.0

import Bytes

/// One ELF image in the process.
public struct ModuleSnapshot: Sendable, Equatable {
    /// Its path as the loader or the kernel gave it; `linux-vdso.so.1` for the vdso.
    public var path: String
    /// First and one past the last address of its loadable segments, page-rounded.
    public var addressRange: Range<UInt64>
    /// What to add to an address in the ELF file to get one in the process.
    public var loadBias: UInt64?
    /// What the module is to the process.
    public var kind: Kind
    /// NT_GNU_BUILD_ID, usually 20 bytes; empty when there is none.
    public var buildID: [UInt8] = []
    /// True where the dump has only the first bytes of the build id: Breakpad long kept 16.
    public var isBuildIDCut = false
    /// DT_SONAME; nil if it has none or it is not known.
    public var soname: String?
    /// Where its dynamic section was; nil if unknown.
    public var dynamicSectionAddress: UInt64?
    /// The whole image where no file has it: the vdso.
    public var image: ByteSlice?
    /// What its frames rested on when the report was filed; nil in a dump, and where nothing was
    /// kept.
    public var keptCallFrames: KeptCallFrames?
    /// What had become of the file when the process died or the dump was taken; nil when that is
    /// not known.
    public var fileState: FileState?

    /// Whether a place below 4 GiB tells that a program was linked for it: not of other systems,
    /// and not where all addresses are below.
    public var isLowPlaceTelling = true

    /// What a module is to its process.
    public enum Kind: UInt8, Sendable {
        case executable = 1
        case sharedObject = 2
        case loader = 3
        case vdso = 4
    }

    /// What had become of a module's file.
    public enum FileState: UInt8, Sendable {
        /// It was in its directory, by the name that the map of the address space has.
        case same = 1
        /// It was deleted while the process ran, and nothing was at `path`.
        case deleted = 2
        /// A package upgrade or a redeployment put another there while the process ran.
        case replaced = 3
        /// It was deleted or replaced while the process ran: what was at `path` could not be asked.
        case lost = 4
    }

    public init(path: String, addressRange: Range<UInt64>, kind: Kind) {
        self.path = path
        self.addressRange = addressRange
        self.kind = kind
    }

    /// The path without what the kernel adds to the name of a file that was unlinked while it was
    /// mapped (d_path, fs/d_path.c): debuggers look for that path, another file may have it by now,
    /// and a dump's module is called what its report's is.
    public var installedPath: String {
        // A file may be named so, too.
        fileState == .same ? path : path.withoutDeletedMark
    }

    /// The load bias as far as it can be known without the file.
    ///
    /// A program linked for one address is loaded there, and linkers choose one below 4 GiB; what
    /// can be loaded anywhere the kernel puts far above, and its addresses begin with 0:
    /// ELF_ET_DYN_BASE, load_elf_binary in fs/binfmt_elf.c.
    public var assumedLoadBias: UInt64 {
        let isFixed =
            kind == .executable && isLowPlaceTelling && addressRange.lowerBound >> 32 == 0
        return loadBias ?? (isFixed ? 0 : addressRange.lowerBound)
    }

    /// The last component of the path.
    public var name: String { Self.fileName(of: path) }

    /// The last component of a path; of Windows's, too, which begin with a drive.
    public static func fileName(of path: String) -> String {
        // Asked for every frame of a report: bytes are quicker than letters.
        let isWindows = path.utf8.dropFirst().starts(with: ":\\".utf8)
        let isSeparator = { (byte: UInt8) in
            byte == UInt8(ascii: "/") || (isWindows && byte == UInt8(ascii: "\\"))
        }
        let name = path.utf8.split(whereSeparator: isSeparator).last
        return name.flatMap { String($0) } ?? path
    }

    /// Whether a file with this build id is the one that was loaded. Of a cut build id the bytes
    /// that are there decide: 16 of them leave no room for chance.
    public func isBuild(_ other: [UInt8]) -> Bool {
        guard !buildID.isEmpty else { return false }
        return isBuildIDCut ? other.starts(with: buildID) : other == buildID
    }
}

/// The dynamic linker's debugger interface, `struct r_debug` of link.h.
public struct DynamicLinkerSnapshot: Sendable, Equatable {
    public var version: UInt32 = 0
    public var breakpointAddress: UInt64 = 0
    public var baseAddress: UInt64 = 0
    /// The main executable's dynamic section and its bytes.
    public var dynamicSectionAddress: UInt64 = 0
    public var dynamicSection: ByteSlice = .empty

    public init() {}
}

extension String {
    /// The text without what the kernel says behind the path of a file that is gone: proc(5),
    /// /proc/PID/maps.
    public var withoutDeletedMark: String {
        let mark = " (deleted)"
        return hasSuffix(mark) ? String(dropLast(mark.count)) : self
    }
}
