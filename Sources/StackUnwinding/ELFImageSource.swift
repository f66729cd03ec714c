// SPDX-License-Identifier: Apache-2.0

import ELFImage
import Snapshot

/// Gives the ELF files of a snapshot's modules. An implementation only hands out a file as `code`
/// or `debug` whose build id is the module's.
public protocol ELFImageSource: Sendable {
    func images(for module: ModuleSnapshot) -> ModuleImages

    /// Called between reports, by who reads many: files that take much memory may be closed, and
    /// are opened again when they are asked for.
    func makeRoom()
}

extension ELFImageSource {
    public func makeRoom() {}
}

/// What was found for one module.
public struct ModuleImages: Sendable {
    /// The file that was loaded, or the vdso's captured memory.
    public var code: LocatedImage?
    /// A separate file with the symbols and the DWARF of the same build.
    public var debug: LocatedImage?
    /// Why `code` is nil, or what is to be known about it.
    public var problem: ImageProblem?
    /// A file where the module was loaded from, which nothing vouches for yet: neither has a build
    /// id. `debug` belongs to it then.
    public var candidate: LocatedImage?

    /// `problem`, or else what happened when the files' bytes were read so far.
    public var presentProblem: ImageProblem? {
        for file in [code, debug] {
            if let file, let reason = file.image.bytes.readProblem {
                return .readInPart(path: file.path, reason: reason)
            }
        }
        return problem
    }

    public init(
        code: LocatedImage? = nil, debug: LocatedImage? = nil, problem: ImageProblem? = nil,
        candidate: LocatedImage? = nil
    ) {
        self.code = code
        self.debug = debug
        self.problem = problem
        self.candidate = candidate
    }
}

/// An ELF image and where its bytes came from.
public struct LocatedImage: Sendable {
    public var image: ELFImage
    public var path: String
    /// True when the bytes are this machine's own, and not those in the report.
    public var isInstalled: Bool

    public init(image: ELFImage, path: String, isInstalled: Bool = true) {
        self.image = image
        self.path = path
        self.isInstalled = isInstalled
    }
}

extension ModuleImages {
    /// Whether the module can be unwound by tables; nil without a file.
    public var hasUnwindTables: Bool? {
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
