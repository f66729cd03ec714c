// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

/// Finds the ELF files of a snapshot's modules. An implementation returns a file as `code` or
/// `debug` only if its build id is the module's.
package protocol ELFImageSource: Sendable {
    /// The files of one module; may open files, and is called once or more for each.
    func images(for module: ModuleSnapshot) -> ModuleImages

    /// Called between reports by a program that reads many: files that take much memory may be
    /// closed, and are opened again when they are needed.
    func makeRoom()

    /// What a reader of a report with these modules is to know about where their files came from and
    /// what was not searched, as sentences without a full stop.
    func notes(on modules: [ModuleSnapshot]) -> [String]
}

extension ELFImageSource {
    package func makeRoom() {}
    package func notes(on modules: [ModuleSnapshot]) -> [String] { [] }
}

/// What was found for one module.
package struct ModuleImages: Sendable {
    /// The file that was loaded, or the vdso's captured memory.
    package var code: LocatedImage?
    /// A separate file with the symbols and the DWARF of the same build.
    package var debug: LocatedImage?
    /// The file into which dwz(1) moved a part of `debug`; nil if it is where `debug` says, or not
    /// found.
    package var alternate: LocatedImage?
    /// A Breakpad symbol file of the same build, where the ELF files have no debug information.
    package var symbolFile: LocatedSymbolFile?
    /// Why `code` is nil, or a restriction that applies to it.
    package var problem: ImageProblem?
    /// A file that the module may have been loaded from; neither has a build id, so nothing
    /// confirms it yet. `debug` then belongs to this file.
    package var candidate: LocatedImage?

    /// `problem`, unless reading the files' bytes has failed since then: that takes precedence.
    package var presentProblem: ImageProblem? {
        for file in [code, debug] {
            if let file, let reason = file.image.bytes.readProblem {
                return .readInPart(path: file.path, reason: reason)
            }
        }
        return problem
    }

    /// By default nothing was found and nothing is wrong.
    package init(
        code: LocatedImage? = nil, debug: LocatedImage? = nil, problem: ImageProblem? = nil,
        candidate: LocatedImage? = nil
    ) {
        self.code = code
        self.debug = debug
        self.problem = problem
        self.candidate = candidate
    }
}

/// A Breakpad symbol file and where it was found.
package struct LocatedSymbolFile: Sendable {
    /// Its records are read when they are needed.
    package var file: SymbolFile
    /// Where it was found.
    package var path: String
}

/// An ELF image and where its bytes came from.
package struct LocatedImage: Sendable {
    /// Its bytes are read when they are needed.
    package var image: ELFImage
    /// Where the file was found; for captured bytes, the name of the module.
    package var path: String
    /// True if the bytes are this machine's own and not from the report.
    package var isInstalled: Bool
    /// True if a symbol server sent them.
    package var isDownloaded: Bool

    /// All as in the properties.
    package init(
        image: ELFImage, path: String, isInstalled: Bool = true, isDownloaded: Bool = false
    ) {
        self.image = image
        self.path = path
        self.isInstalled = isInstalled
        self.isDownloaded = isDownloaded
    }

    /// Whether libunwind may read it, which has no limits of its own.
    var isForLibunwind: Bool { isInstalled && !isDownloaded }
}

extension ModuleImages {
    /// Whether the module can be unwound with tables; nil without a file.
    package var hasUnwindTables: Bool? {
        guard let image = code?.image else { return nil }
        let files = [image, debug?.image].compactMap(\.self)
        return image.unwindTable != nil
            || files.contains { file in
                [".eh_frame", ".debug_frame"].contains { name in
                    file.section(named: name).map { !$0.isEmptyInFile } == true
                }
            }
    }
}
