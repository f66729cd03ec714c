// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation

/// The C objects of this build as an archive and as a shared library, for programs that a test
/// compiles and links in ways that the package manager does not.
struct LinkedLibrary {
    let archive: String
    let shared: String
    private let folder: String

    private static let built = Result { try build() }

    static func get() throws -> LinkedLibrary { try built.get() }

    private static let root = Products.packageRoot

    private static func build() throws -> LinkedLibrary {
        let folder = Products.directory + "/LinkedLibrary.build"
        let script = """
            set -e
            folder=$1 source=$2
            shift 2
            rm -rf "$folder"
            mkdir -p "$folder"
            clang -std=gnu17 -D_GNU_SOURCE -fPIC -O1 -g -c "$source" -o "$folder/coverage.o"
            ar rcs "$folder/libepitaph.a" "$folder/coverage.o" "$@"
            clang -shared -o "$folder/libepitaph.so" "$folder/coverage.o" "$@"
            """
        let result = try Subprocess.run(
            ["sh", "-c", script, "sh", folder, root + "/Tests/LinkedPrograms/coverage.c"]
                + Products.cObjects)
        guard result.ending == .exited(0) else {
            throw CompilerFailed(output: result.standardError)
        }
        return LinkedLibrary(
            archive: folder + "/libepitaph.a", shared: folder + "/libepitaph.so", folder: folder)
    }

    /// Compiles Tests/LinkedPrograms/`name`.c to `program`. `link` is what follows the program's
    /// own object on the command line; `{archive}` and `{folder}` in it are replaced.
    func compile(
        _ name: String, to program: String, _ link: [String] = ["{archive}"],
        before: [String] = []
    ) throws {
        let object = program + ".o"
        let source = Self.root + "/Tests/LinkedPrograms/\(name).c"
        try run(
            ["gcc", "-D_GNU_SOURCE", "-O1", "-g", "-c", source, "-o", object]
                + Products.cHeaderOptions)
        let linked = link.map {
            $0.replacingOccurrences(of: "{archive}", with: archive)
                .replacingOccurrences(of: "{folder}", with: folder)
        }
        try run(["gcc"] + before + [object] + linked + ["-o", program])
    }

    private func run(_ command: [String]) throws {
        let result = try Subprocess.run(command, deadlineSeconds: 120)
        guard result.ending == .exited(0) else {
            throw CompilerFailed(output: result.standardError)
        }
    }

    struct CompilerFailed: Error {
        let output: String
    }
}
