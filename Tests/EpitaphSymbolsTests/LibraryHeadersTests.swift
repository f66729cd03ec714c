// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Testing

@Suite("What we declare of libraries that are opened when they are needed")
struct LibraryHeadersTests {
    /// Compiled for nothing but the compiler's own checks and the assertions in the files.
    @Test(
        "Functions, structs and numbers are those of the library's headers",
        arguments: ["elfutils", "libdebuginfod", "capstone", "libdeflate", "liblzma", "sqlite"]
            // Debian has libunwind-x86_64 and its header on x86_64 alone.
            + (Machine.own == .x86_64 ? ["libunwind"] : []))
    func agree(library: String) throws {
        let root = Products.packageRoot
        let compiler = try Subprocess.run([
            "clang", "-std=gnu17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
            "-I\(root)/Sources/System/CEpitaphLibraries",
            "\(root)/Tests/LibraryHeaders/\(library).c",
        ])
        #expect(compiler.ending == .exited(0), "\(compiler.standardError)")
    }

    @Test(
        "A package that uses Epitaph needs none of those headers",
        arguments: ["elfutils", "capstone", "deflate", "lzma", "sqlite", "unwind"])
    func notNeeded(library: String) throws {
        let folder = Products.packageRoot + "/Sources/System/CEpitaphLibraries/include"
        let header = "\(folder)/epitaph_\(library).h"
        let compiler = try Subprocess.run(["clang", "-std=gnu17", "-M", header])
        #expect(compiler.ending == .exited(0), "\(compiler.standardError)")
        #expect(compiler.standardOutput.contains("/stddef.h"))
        let theirs = [
            "/dwarf.h", "/gelf.h", "/libelf.h", "elfutils/", "/libdeflate.h", "capstone/",
            "/libunwind", "/lzma", "/sqlite3.h",
        ]
        let included = compiler.standardOutput.split { $0.isWhitespace }
            .filter { $0.hasPrefix("/usr/") }
        for name in theirs { #expect(!included.contains { $0.contains(name) }) }
    }
}
