// SPDX-License-Identifier: Apache-2.0

/// What a file of the store is to its build.
public enum StoredPart: String, Sendable, CaseIterable {
    /// The file that is loaded: a program or a library.
    case executable
    /// A file with symbols or DWARF, or the file into which dwz(1) moved what several have in common.
    case debug
    /// The split units of a build in one file.
    case package
    /// A symbol file in Breakpad's format.
    case breakpad

    /// What its name has behind the build id. `.debug` is what gdb, lldb and debuginfod look for, no
    /// suffix what they expect of executables; gdb and we look for `.dwp` behind the name of the file
    /// that has the skeletons.
    var suffix: String {
        switch self {
        case .executable: ""
        case .debug: ".debug"
        case .package: ".dwp"
        case .breakpad: ".sym"
        }
    }

    /// In words, for messages.
    public var words: String {
        switch self {
        case .executable: "executable"
        case .debug: "debug information"
        case .package: "split units"
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
        let digits = buildID.hexadecimal
        guard digits.count > 2 else { return nil }
        directory = String(digits.prefix(2))
        file = digits.dropFirst(2) + part.suffix
    }

    var path: String { "\(Self.root)/\(directory)/\(file)" }
}

extension [UInt8] {
    /// In lower-case digits, as build ids are written.
    public var hexadecimal: String {
        let digits = Array<Character>("0123456789abcdef")
        return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
