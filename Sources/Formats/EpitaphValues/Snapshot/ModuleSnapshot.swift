// SPDX-License-Identifier: Apache-2.0

/// An ELF image in the process.
package struct ModuleSnapshot: Sendable, Equatable {
    /// As the loader or the kernel gave it; `linux-vdso.so.1` for the vdso.
    package var path: String
    /// Of its loadable segments, page-rounded.
    package var addressRange: Range<UInt64>
    /// Added to an address of the file to get one in the process.
    package var loadBias: UInt64?
    package var kind: Kind
    /// NT_GNU_BUILD_ID, usually 20 bytes; may be empty.
    package var buildID: [UInt8] = []
    /// The dump has only the beginning of the build id: older versions of Breakpad kept 16 bytes.
    package var isBuildIDCut = false
    /// DT_SONAME; nil if missing or unknown.
    package var soname: String?
    package var dynamicSectionAddress: UInt64?
    /// The bytes of a module without a file: the vdso.
    package var image: ByteSlice?
    /// Kept when the report was filed; nil in a dump, and if nothing was kept.
    package var keptCallFrames: KeptCallFrames?
    /// State of the file when the process died or the dump was taken; nil if unknown.
    package var fileState: FileState?

    /// Whether an address below 4 GiB shows where a program was linked: Linux, 64 bits.
    package var isFixedWhenLow = true

    package enum Kind: UInt8, Sendable {
        /// The program itself, first in the loader's list.
        case executable = 1
        case sharedObject = 2
        /// The dynamic linker, PT_INTERP of the program.
        case loader = 3
        /// The kernel's own shared object, vdso(7), which is in no file.
        case vdso = 4
    }

    package enum FileState: UInt8, Sendable {
        /// Still in its directory, under the name in the address space's map.
        case same = 1
        /// Deleted while the process ran, with nothing at `path`.
        case deleted = 2
        /// Replaced while the process ran, by a package upgrade or a deployment.
        case replaced = 3
        /// Deleted or replaced while the process ran; it could not be found out which.
        case lost = 4
    }

    package init(path: String, addressRange: Range<UInt64>, kind: Kind) {
        self.path = path
        self.addressRange = addressRange
        self.kind = kind
    }

    /// Without the ` (deleted)` of an unlinked mapped file (d_path, fs/d_path.c): debuggers look
    /// for this path, another file may have it by now, and the name is the same in dump and report.
    package var installedPath: String {
        // A file's own name may end like that, too.
        fileState == .same ? path : path.withoutDeletedMark
    }

    /// The load bias as far as known without the file. A program linked for a fixed address is
    /// loaded there, and linkers choose one below 4 GiB. The kernel puts everything else far above,
    /// with file addresses from 0: ELF_ET_DYN_BASE, load_elf_binary in fs/binfmt_elf.c.
    package var assumedLoadBias: UInt64 {
        let isFixed =
            kind == .executable && isFixedWhenLow && addressRange.lowerBound >> 32 == 0
        return loadBias ?? (isFixed ? 0 : addressRange.lowerBound)
    }

    package var name: String { Self.fileName(of: path) }

    package static func fileName(of path: String) -> String {
        // Called for every frame of a report: bytes compare faster than characters.
        let isWindows = path.utf8.dropFirst().starts(with: ":\\".utf8)
        return path.lastComponent {
            $0 == UInt8(ascii: "/") || (isWindows && $0 == UInt8(ascii: "\\"))
        } ?? path
    }

    package var isOfSystem: Bool {
        kind == .vdso
            || kind != .executable && (path.hasPrefix("/lib") || path.has("/usr/lib"))
    }

    /// If an id is cut, its known bytes are compared: 16 bytes do not match by chance.
    package func isBuild(_ other: [UInt8]) -> Bool {
        guard !buildID.isEmpty else { return false }
        return isBuildIDCut ? other.starts(with: buildID) : other == buildID
    }
}

/// The dynamic linker's debugger interface, `struct r_debug` of link.h.
package struct DynamicLinkerSnapshot: Sendable, Equatable {
    package var version: UInt32 = 0
    /// `r_brk`: called by the loader when it adds or removes a module.
    package var breakpointAddress: UInt64 = 0
    /// `r_ldbase`: load address of the dynamic linker.
    package var baseAddress: UInt64 = 0
    /// The main executable's dynamic section.
    package var dynamicSectionAddress: UInt64 = 0
    /// Empty if not captured.
    package var dynamicSection: ByteSlice = .empty

    package init() {}
}

extension String {
    /// Without the ` (deleted)` of an unlinked file: proc(5), /proc/PID/maps.
    package var withoutDeletedMark: String {
        let mark = " (deleted)"
        return hasSuffix(mark) ? String(dropLast(mark.count)) : self
    }
}
