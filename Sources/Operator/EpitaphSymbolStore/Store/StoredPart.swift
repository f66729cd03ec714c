// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// What a file of the store is to its build.
package enum StoredPart: String, Sendable, CaseIterable {
    /// The file that is loaded: a program or a library.
    case executable
    /// A file with symbols or DWARF, or the file into which dwz(1) moved what several have in common.
    case debug
    /// The split units of a build in one file, of DWARF 4.
    case package
    /// The same, of DWARF 5.
    case package5
    /// A symbol file in Breakpad's format.
    case breakpad

    /// What its name has behind the build id. `.debug` is what gdb, lldb and debuginfod look for, no
    /// suffix what they expect of executables; readers look for `.dwp` behind the name of the file that
    /// has the skeletons. gdb 13 dies of a package of DWARF 5, whoever made it, so it does not find ours.
    var suffix: String {
        switch self {
        case .executable: ""
        case .debug: ".debug"
        case .package: ".dwp"
        case .package5: ".debug.dwp"
        case .breakpad: ".sym"
        }
    }

    /// In words, for messages.
    package var words: String {
        switch self {
        case .executable: "executable"
        case .debug: "debug information"
        case .package, .package5: "split units"
        case .breakpad: "Breakpad symbols"
        }
    }
}

/// Where a file of a build is: `.build-id/ab/cdef….debug`.
struct StoredName: Sendable, Hashable {
    /// The name of the directory that holds the directories.
    static let root = ".build-id"
    /// The first two digits.
    let directory: String
    /// The others, and the part's suffix.
    let file: String

    /// Nil for a build id that is too short for that: one of a single byte.
    init?(_ buildID: [UInt8], _ part: StoredPart) {
        guard buildID.count > 1 else { return nil }
        directory = buildID.prefix(1).hexDigits
        file = buildID.dropFirst().hexDigits + part.suffix
    }

    var path: String { "\(Self.root)/\(directory)/\(file)" }
}
