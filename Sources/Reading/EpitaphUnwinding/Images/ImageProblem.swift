// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Why a module has no ELF file, or why the one it has is not certain. The description is a
/// sentence without a full stop.
package enum ImageProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// No file at the module's path, and none with its build id elsewhere.
    case notFound(path: String)
    /// The file there now is not the one that was loaded.
    case buildIDDiffers(path: String, expected: [UInt8], found: [UInt8])
    /// As `notFound`, when the dump says what was at the module's path at the crash.
    case gone(path: String, atCrash: ModuleSnapshot.FileState)
    /// As `buildIDDiffers`, when the dump says what was at the module's path at the crash.
    case replaced(
        path: String, expected: [UInt8], found: [UInt8], atCrash: ModuleSnapshot.FileState)
    /// The module was captured without a build id, so nothing could be checked.
    case noBuildID(path: String)
    /// The file is there but cannot be opened, or is no ELF file.
    case unreadable(path: String, reason: String)
    /// The file is the module's, but a part that was needed could not be read.
    case readInPart(path: String, reason: String)
    /// Neither the module nor the file has a build id; what was captured of the module agrees with
    /// the file.
    case matchedByContents(path: String)
    /// One of those above about a file of another system, below a root that the user named. What the
    /// dump says about files is about the system that the process ran on.
    indirect case belowRoot(ImageProblem)

    /// One of those above, for a module that has a Breakpad symbol file.
    indirect case onlySymbolFile(ImageProblem, symbolFile: String)

    /// The problem together with what the dump says about the file.
    func known(_ atCrash: ModuleSnapshot.FileState?) -> ImageProblem {
        guard let atCrash else { return self }
        switch self {
        case .notFound(let path): return .gone(path: path, atCrash: atCrash)
        case .buildIDDiffers(let path, let expected, let found):
            return .replaced(path: path, expected: expected, found: found, atCrash: atCrash)
        case .onlySymbolFile(let problem, let symbolFile):
            return .onlySymbolFile(problem.known(atCrash), symbolFile: symbolFile)
        default: return self
        }
    }

    package var description: String {
        switch self {
        case .notFound(let path): "\(path) was not found"
        case .buildIDDiffers(let path, let expected, let found):
            "\(path) is not the file that was loaded: \(Self.ids(expected, found))"
        case .gone(let path, let atCrash): "\(path) \(Self.whenItWent(atCrash))"
        case .replaced(let path, let expected, let found, let atCrash):
            "\(path) \(Self.whenItChanged(atCrash)): \(Self.ids(expected, found))"
        case .noBuildID(let path):
            "\(path) has no build id in the report, so no file can be matched to it"
        case .matchedByContents(let path):
            "\(path) has no build id; the file there now was taken for it because its layout and "
                + "what the report has of it are the same"
        case .readInPart(let path, let reason): "\(path) was not read in full: \(reason)"
        case .unreadable(let path, let reason): "\(path) cannot be used: \(reason)"
        case .belowRoot(let problem): problem.description
        case .onlySymbolFile(let problem, let symbolFile):
            "\(problem.description); \(symbolFile) was used in its place"
        }
    }

    private static func whenItWent(_ atCrash: ModuleSnapshot.FileState) -> String {
        switch atCrash {
        case .same: "was deleted after the crash"
        case .deleted: "was deleted while it ran"
        case .replaced: "was replaced while it ran, and what replaced it is gone, too"
        case .lost: "was deleted while it ran, or replaced by a file that is gone, too"
        }
    }

    private static func whenItChanged(_ atCrash: ModuleSnapshot.FileState) -> String {
        switch atCrash {
        case .same: "was replaced after the crash"
        case .deleted: "was deleted while it ran, and another file came after the crash"
        case .replaced: "was replaced while it ran"
        case .lost: "was deleted or replaced while it ran, and another file is there now"
        }
    }

    private static func ids(_ expected: [UInt8], _ found: [UInt8]) -> String {
        "its build id is \(text(found)), the process had \(text(expected))"
    }

    private static func text(_ buildID: [UInt8]) -> String {
        buildID.isEmpty ? "missing" : buildID.hexDigits
    }
}
