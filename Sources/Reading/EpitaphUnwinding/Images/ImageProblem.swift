// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A module's file is missing or uncertain. `description` is a sentence without a full stop.
package enum ImageProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// Neither at the module's path nor elsewhere by build id.
    case notFound(path: String)
    case buildIDDiffers(path: String, expected: [UInt8], found: [UInt8])
    /// `notFound`, with the state of the module's path at the crash.
    case gone(path: String, atCrash: ModuleSnapshot.FileState)
    /// `buildIDDiffers`, with the state of the module's path at the crash.
    case replaced(
        path: String, expected: [UInt8], found: [UInt8], atCrash: ModuleSnapshot.FileState)
    /// Captured without a build id, so nothing could be checked.
    case noBuildID(path: String)
    case unreadable(path: String, reason: String)
    case readInPart(path: String, reason: String)
    /// Neither has a build id; captured bytes of the module agree with the file.
    case matchedByContents(path: String)
    /// For a file below a root that the user named: the dump's facts about files do not apply.
    indirect case belowRoot(ImageProblem)

    indirect case onlySymbolFile(ImageProblem, symbolFile: String)

    /// Adds what the dump says about the file.
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
            "\(path) has no build id; the file there now was used because its layout and the "
                + "parts of it in the report are the same"
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
