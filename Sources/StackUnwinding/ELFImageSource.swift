// SPDX-License-Identifier: Apache-2.0

import ELFImage
import Snapshot

/// Gives the ELF files of a snapshot's modules. An implementation only hands out a file as `code` or
/// `debug` whose build id is the module's.
public protocol ELFImageSource: Sendable {
    func images(for module: ModuleSnapshot) -> ModuleImages
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

/// Why a module has no ELF file, or why the one it has is not certain. The description is a sentence
/// without a full stop.
public enum ImageProblem: Error, Sendable, Equatable, CustomStringConvertible {
    case notFound(path: String)
    /// The file there now is not the one that was loaded.
    case buildIDDiffers(path: String, expected: [UInt8], found: [UInt8])
    /// The module was captured without a build id, so nothing could be checked.
    case noBuildID(path: String)
    case unreadable(path: String, reason: String)
    /// Neither the module nor the file has a build id; what was captured of the module is the same
    /// in the file.
    case matchedByContents(path: String)

    public var description: String {
        switch self {
        case .notFound(let path): "\(path) was not found"
        case .buildIDDiffers(let path, let expected, let found):
            "\(path) was replaced after the crash: its build id is \(text(found)), "
                + "the process had \(text(expected))"
        case .noBuildID(let path):
            "\(path) has no build id in the report, so no file can be matched to it"
        case .matchedByContents(let path):
            "\(path) has no build id; the file there now was taken for it because its layout and "
                + "what the report has of it are the same"
        case .unreadable(let path, let reason): "\(path) cannot be used: \(reason)"
        }
    }

    private func text(_ buildID: [UInt8]) -> String {
        guard !buildID.isEmpty else { return "missing" }
        let digits = Array("0123456789abcdef")
        return String(buildID.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
