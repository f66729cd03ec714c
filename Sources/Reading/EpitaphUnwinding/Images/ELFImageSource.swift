// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

/// Finds the ELF files of a snapshot's modules. `code` and `debug` must have the module's build id.
package protocol ELFImageSource: Sendable {
    func images(for module: ModuleSnapshot) -> ModuleImages

    /// Called between reports by programs that read many: large files may be closed and reopened.
    func makeRoom()

    func notes(on modules: [ModuleSnapshot]) -> [String]
}

extension ELFImageSource {
    package func makeRoom() {}
    package func notes(on modules: [ModuleSnapshot]) -> [String] { [] }
}

package struct ModuleImages: Sendable {
    /// The file that was loaded, or the vdso's captured memory.
    package var code: LocatedImage?
    /// A separate file with symbols and DWARF of the same build.
    package var debug: LocatedImage?
    /// The file that dwz(1) moved parts of `debug` to; nil if it is at its usual place, or missing.
    package var alternate: LocatedImage?
    /// A Breakpad symbol file of the same build, if the ELF files have no debug information.
    package var symbolFile: LocatedSymbolFile?
    package var problem: ImageProblem?
    /// A possible, unconfirmed file if neither has a build id. `debug` then belongs to it.
    package var candidate: LocatedImage?

    /// `problem`, or a later failure to read the files' bytes.
    package var presentProblem: ImageProblem? {
        for file in [code, debug] {
            if let file, let reason = file.image.bytes.readProblem {
                return .readInPart(path: file.path, reason: reason)
            }
        }
        return problem
    }

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

package struct LocatedSymbolFile: Sendable {
    package var file: SymbolFile
    package var path: String
}

package struct LocatedImage: Sendable {
    package var image: ELFImage
    package var path: String
    /// True for this machine's own bytes, false for those from the report.
    package var isInstalled: Bool
    package var isDownloaded: Bool
    /// Nil if others may have written the file: user's directories, a root, a server, the report.
    package var ownerID: UInt32?

    package init(
        image: ELFImage, path: String, isInstalled: Bool = true, isDownloaded: Bool = false,
        ownerID: UInt32? = nil
    ) {
        self.image = image
        self.path = path
        self.isInstalled = isInstalled
        self.isDownloaded = isDownloaded
        self.ownerID = ownerID
    }

    var isForLibunwind: Bool { isInstalled && !isDownloaded }
}
