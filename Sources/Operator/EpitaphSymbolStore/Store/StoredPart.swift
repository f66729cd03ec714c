// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

package enum StoredPart: String, Sendable, CaseIterable {
    case executable
    /// A file with symbols or DWARF, or dwz(1)'s file with what several of them share.
    case debug
    /// The split units of a build in one file, DWARF 4.
    case package
    /// The same for DWARF 5.
    case package5
    case breakpad

    /// gdb, lldb and debuginfod look for `.debug`, and for executables without a suffix; readers
    /// look for `.dwp` behind the name of the file with the skeletons. gdb 13 crashes on any
    /// package of DWARF 5, so it must not find ours.
    var suffix: String {
        switch self {
        case .executable: ""
        case .debug: ".debug"
        case .package: ".dwp"
        case .package5: ".debug.dwp"
        case .breakpad: ".sym"
        }
    }

    package var words: String {
        switch self {
        case .executable: "executable"
        case .debug: "debug information"
        case .package, .package5: "split units"
        case .breakpad: "Breakpad symbols"
        }
    }
}

/// The path of a file in the store: `.build-id/ab/cdef….debug`.
struct StoredName: Sendable, Hashable {
    static let root = ".build-id"
    let directory: String
    /// The others and the part's suffix.
    let file: String

    /// Nil for a build id of a single byte.
    init?(_ buildID: [UInt8], _ part: StoredPart) {
        guard buildID.count > 1 else { return nil }
        directory = buildID.prefix(1).hexDigits
        file = buildID.dropFirst().hexDigits + part.suffix
    }

    var path: String { "\(Self.root)/\(directory)/\(file)" }
}
