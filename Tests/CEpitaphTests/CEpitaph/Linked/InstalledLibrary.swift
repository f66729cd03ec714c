// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

/// What `Scripts/install` installs, once for each C library.
struct InstalledLibrary {
    /// Where it was installed.
    let prefix: String
    /// The library for programs that were not built with Epitaph.
    var preload: String { prefix + "/lib/epitaph/libepitaph-preload.so" }
    /// The library of sampled allocations.
    var heap: String { prefix + "/lib/epitaph/libepitaph-heap.so" }
    /// The compiler for programs that use it.
    let compiler: [String]

    static let glibc = Result { try install("glibc", compiler: ["cc"]) }
    static let musl = Result { try install("musl", compiler: try muslCompiler()) }

    static let hasMusl = Toolchain.executable("musl-gcc") != nil

    /// How a program is compiled and linked.
    struct Way: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let flags: [String]
        var usesMusl = false

        func library() throws -> InstalledLibrary {
            try (usesMusl ? InstalledLibrary.musl : InstalledLibrary.glibc).get()
        }
    }

    static let script = Products.packageRoot + "/Scripts/install"

    private static func install(_ name: String, compiler: [String]) throws -> InstalledLibrary {
        let prefix = Products.directory + "/InstalledLibrary.build/" + name
        try? FileManager.default.removeItem(atPath: prefix)
        let result = try Subprocess.run(
            [
                script, "--prefix", prefix, "--sysconfdir", prefix + "/etc",
                "--localstatedir", prefix + "/var",
            ],
            environment: ["CC": compiler.joined(separator: " "), "CFLAGS": "-O1 -g"],
            deadlineSeconds: 300)
        guard result.ending == .exited(0) else { throw Failed(output: result.standardError) }
        return InstalledLibrary(prefix: prefix, compiler: compiler)
    }

    /// musl's own headers alone, and the kernel's, which Debian keeps beside those of glibc.
    private static func muslCompiler() throws -> [String] {
        let folder = Products.directory + "/InstalledLibrary.build/kernel-headers"
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let machine = try Subprocess.run(["cc", "-print-multiarch"]).standardOutput
            .trimmingCharacters(in: .whitespacesAndNewlines)
        for (name, path) in [
            ("linux", "/usr/include/linux"), ("asm-generic", "/usr/include/asm-generic"),
            ("asm", "/usr/include/\(machine)/asm"),
        ] {
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/" + name, withDestinationPath: path)
        }
        return ["musl-gcc", "-isystem", folder]
    }

    /// Runs a command that has to succeed, and returns what it printed.
    @discardableResult
    static func run(
        _ command: [String], environment: [String: String] = [:]
    ) throws -> String {
        let result = try Subprocess.run(
            command, environment: environment, deadlineSeconds: 120)
        guard result.ending == .exited(0) else {
            throw Failed(output: result.standardOutput + result.standardError)
        }
        return result.standardOutput
    }

    struct Failed: Error {
        let output: String
    }
}
