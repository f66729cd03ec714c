// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphUnwinding
import EpitaphValues
import Foundation

/// A program that starts Epitaph and fails in ways CEpitaphVictim does not have.
enum DiagnosisProgram {
    enum Language: String {
        case c = "c"
        case cxx = "cpp"
    }

    /// Compiled with these options, as a file of this name.
    static func compile(
        _ options: [String], in directory: TemporaryDirectory, source: String = source,
        name: String = "diagnosed", language: Language = .c, compiler other: String? = nil
    ) throws -> String {
        let file = "\(name).\(language.rawValue)"
        try directory.write(Array(source.utf8), to: file)
        let program = directory.path(name)
        let compiler = try Subprocess.run(
            [
                other ?? (language == .c ? "clang" : "clang++"), "-D_GNU_SOURCE", "-Wl,--build-id",
                "-pthread", "-o", program, directory.path(file),
            ] + Products.cHeaderOptions + options + Products.cObjects + ["-ldl"])
        guard compiler.ending == .exited(0) else {
            throw CompilerFailed(output: compiler.standardError)
        }
        return program
    }

    /// The program with -O1 and debug information, compiled once.
    static let standard: Result<Compiled, any Error> = Result {
        let directory = try TemporaryDirectory()
        let program = try compile(["-O1", "-g"], in: directory)
        return Compiled(path: program, directory: directory)
    }

    struct CompilerFailed: Error {
        let output: String
    }

    struct Compiled: Sendable {
        let path: String
        let directory: TemporaryDirectory
    }
}
