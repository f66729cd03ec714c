// SPDX-License-Identifier: Apache-2.0

/// One ELF image in the process.
package struct ModuleSnapshot: Sendable, Equatable {
    /// Its path as the loader or the kernel gave it; `linux-vdso.so.1` for the vdso.
    package var path: String
    /// First and one past the last address of its loadable segments, page-rounded.
    package var addressRange: Range<UInt64>
    /// What to add to an address in the ELF file to get one in the process.
    package var loadBias: UInt64?
    /// What the module is to the process.
    package var kind: Kind
    /// NT_GNU_BUILD_ID, usually 20 bytes; empty when there is none.
    package var buildID: [UInt8] = []
    /// True where the dump has only the first bytes of the build id: for years Breakpad kept 16.
    package var isBuildIDCut = false
    /// DT_SONAME; nil if it has none or it is not known.
    package var soname: String?
    /// Where its dynamic section was; nil if unknown.
    package var dynamicSectionAddress: UInt64?
    /// The bytes of the whole image for a module that is in no file: the vdso.
    package var image: ByteSlice?
    /// Call frame information that was kept when the report was filed; nil in a dump, and if
    /// nothing was kept.
    package var keptCallFrames: KeptCallFrames?
    /// What had become of the file when the process died or the dump was taken; nil when that is
    /// not known.
    package var fileState: FileState?

    /// Whether an address below 4 GiB shows that a program was linked for that address. It does not
    /// on systems other than Linux, nor where all addresses are below 4 GiB.
    package var isFixedWhenLow = true

    /// What a module is to its process.
    package enum Kind: UInt8, Sendable {
        /// The program itself, the first entry of the loader's list.
        case executable = 1
        /// A library that the loader mapped.
        case sharedObject = 2
        /// The dynamic linker, PT_INTERP of the program.
        case loader = 3
        /// The kernel's own shared object, vdso(7), which is in no file.
        case vdso = 4
    }

    /// What had become of a module's file.
    package enum FileState: UInt8, Sendable {
        /// It was still in its directory, under the name that the map of the address space has.
        case same = 1
        /// It was deleted while the process ran, and nothing was at `path`.
        case deleted = 2
        /// A package upgrade or a redeployment put another file there while the process ran.
        case replaced = 3
        /// It was deleted or replaced while the process ran; what was at `path` then could not be
        /// found out.
        case lost = 4
    }

    /// A module with nothing else known: no build id, no load bias.
    package init(path: String, addressRange: Range<UInt64>, kind: Kind) {
        self.path = path
        self.addressRange = addressRange
        self.kind = kind
    }

    /// The path without the ` (deleted)` that the kernel adds to the name of a file that was
    /// unlinked while it was mapped (d_path, fs/d_path.c). Debuggers look for that path, another
    /// file may have it by now, and the module has the same name in the dump and in the report.
    package var installedPath: String {
        // A file's own name may end like that, too.
        fileState == .same ? path : path.withoutDeletedMark
    }

    /// The load bias as far as it can be known without the file.
    ///
    /// A program linked for a fixed address is loaded there, and linkers choose one below 4 GiB.
    /// The kernel puts everything else far above, and in its file addresses begin with 0:
    /// ELF_ET_DYN_BASE, load_elf_binary in fs/binfmt_elf.c.
    package var assumedLoadBias: UInt64 {
        let isFixed =
            kind == .executable && isFixedWhenLow && addressRange.lowerBound >> 32 == 0
        return loadBias ?? (isFixed ? 0 : addressRange.lowerBound)
    }

    /// The last component of the path.
    package var name: String { Self.fileName(of: path) }

    /// The last component of a path; also of a Windows path, which begins with a drive.
    package static func fileName(of path: String) -> String {
        // Called for every frame of a report: comparing bytes is quicker than comparing characters.
        let isWindows = path.utf8.dropFirst().starts(with: ":\\".utf8)
        let isSeparator = { (byte: UInt8) in
            byte == UInt8(ascii: "/") || (isWindows && byte == UInt8(ascii: "\\"))
        }
        let name = path.utf8.split(whereSeparator: isSeparator).last
        return name.flatMap { String($0) } ?? path
    }

    /// Whether a file with this build id is the one that was loaded. Of a cut build id only the
    /// bytes that are there are compared: with 16 of them a match by chance is out of the question.
    package func isBuild(_ other: [UInt8]) -> Bool {
        guard !buildID.isEmpty else { return false }
        return isBuildIDCut ? other.starts(with: buildID) : other == buildID
    }
}

/// The dynamic linker's debugger interface, `struct r_debug` of link.h.
package struct DynamicLinkerSnapshot: Sendable, Equatable {
    /// `r_version`
    package var version: UInt32 = 0
    /// `r_brk`: the function that the loader calls when it adds or removes a module.
    package var breakpointAddress: UInt64 = 0
    /// `r_ldbase`: where the dynamic linker itself is loaded.
    package var baseAddress: UInt64 = 0
    /// The main executable's dynamic section and its bytes.
    package var dynamicSectionAddress: UInt64 = 0
    /// The bytes of the dynamic section; empty if they were not captured.
    package var dynamicSection: ByteSlice = .empty

    /// All addresses 0.
    package init() {}
}

extension String {
    /// The text without the ` (deleted)` that the kernel appends to the path of an unlinked file:
    /// proc(5), /proc/PID/maps.
    package var withoutDeletedMark: String {
        let mark = " (deleted)"
        return hasSuffix(mark) ? String(dropLast(mark.count)) : self
    }
}
